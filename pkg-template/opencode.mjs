// The plugin of opencode: `"plugin": ["…"]` of opencode.json may name a file that says `export * from 'endstate/opencode'`.
export { Endstate } from './plugins/opencode/endstate.js';
