// The mission as a server of the Model Context Protocol, for programs that bring the server themselves.

export { serveMcp } from 'endstate-node';
export type { ServeMcpOptions } from 'endstate-node';
export { McpServer } from 'endstate-core';
export type { McpErrand, McpIn, McpOut, McpPolicy } from 'endstate-core';
