// What we use of pi's extension interface, in our own words: pi's packages are there when pi loads us, but
// this package neither needs them to be built nor to be installed. The names are pi's.

/** Marks for pi's dialogs. */
export interface DialogOptions {
  signal?: AbortSignal;
}

/** What a person sees: a terminal, or a program that speaks RPC. */
export interface Ui {
  select(title: string, options: string[], options_?: DialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, options?: DialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, options?: DialogOptions): Promise<string | undefined>;
  notify(message: string, kind?: 'info' | 'warning' | 'error'): void;
  setStatus(key: string, text: string | undefined): void;
  setWidget(key: string, lines: string[] | undefined): void;
}

/** Handed to every handler; never to be kept longer than to the next one. */
export interface Context {
  ui: Ui;
  /** False with `-p`: nobody can be asked. */
  hasUI: boolean;
  cwd: string;
  model: { provider: string; id: string } | undefined;
}

/** What a tool answers. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  details: unknown;
  /** The run may end here, without asking the model once more. */
  terminate?: boolean;
}

export interface Tool {
  name: string;
  label: string;
  description: string;
  promptSnippet?: string;
  promptGuidelines?: string[];
  /** A JSON Schema; pi checks the arguments against it. */
  parameters: unknown;
  executionMode?: 'sequential' | 'parallel';
  execute(id: string, args: Record<string, unknown>): Promise<ToolResult>;
}

export interface ToolCall {
  toolName: string;
  input: Record<string, unknown>;
}

interface Events {
  session_start: { reason?: string };
  session_shutdown: { reason?: string };
  session_compact: object;
  before_agent_start: { systemPrompt: string };
  agent_start: object;
  agent_end: object;
  turn_start: object;
  turn_end: object;
  model_select: { model: { provider: string; id: string } };
  thinking_level_select: { level: string };
  tool_call: ToolCall;
}

interface Answers {
  before_agent_start: { systemPrompt: string };
  tool_call: { block: boolean; reason: string };
}

/** An answer of a handler; only some events take one. */
type AnswerTo<Name> = Name extends keyof Answers ? Answers[Name] | undefined : void;

/** What the extension is given when it is loaded. */
export interface Pi {
  on<Name extends keyof Events>(
    event: Name, handler: (event: Events[Name], context: Context) => AnswerTo<Name> | Promise<AnswerTo<Name>>,
  ): void;
  registerTool(tool: Tool): void;
  registerCommand(name: string, command: {
    description: string;
    getArgumentCompletions?: (prefix: string) => { value: string; label: string }[] | null;
    handler: (args: string, context: Context) => Promise<void>;
  }): void;
  getThinkingLevel(): string;
}
