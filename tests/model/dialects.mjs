// How a conversation looks in each of the interfaces that agents speak, and how an answer is written in it.
//
// `read(body)` answers with `{prompt, results, tools}`: the words of the user, what the tools said, and
// the names of the tools that are offered. `write(send, answer, facts)` streams `{text}` or
// `{calls: [{name, args}]}`; `whole(answer, facts)` is the same in one piece, where a client wants that.

const textOf = (content) => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content?.text ?? '';
  return content.map((part) => part.text ?? (part.content ? textOf(part.content) : '')).join('\n');
};
const joined = (list) => list.filter(Boolean).join('\n');

// ---- OpenAI chat completions -------------------------------------------------------------------

const chat = {
  read(body) {
    const messages = body.messages ?? [];
    return {
      prompt: joined(messages.filter((one) => one.role === 'user').map((one) => textOf(one.content))),
      results: messages.filter((one) => one.role === 'tool').map((one) => textOf(one.content)),
      tools: (body.tools ?? []).map((tool) => tool.function?.name).filter(Boolean),
    };
  },
  write(send, answer, { id, model, usage }) {
    const base = { id: `chat-${id}`, object: 'chat.completion.chunk', created: 1, model };
    const chunk = (delta, finish = null) =>
      send({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });
    chunk({ role: 'assistant', content: '' });
    (answer.calls ?? []).forEach((call, index) => {
      const args = JSON.stringify(call.args);
      const half = args.length >> 1;
      chunk({ tool_calls: [{ index, id: `call-${id}-${index}`, type: 'function', function: { name: call.name, arguments: '' } }] });
      for (const piece of [args.slice(0, half), args.slice(half)]) {
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
      }
    });
    for (const piece of pieces(answer.text)) chunk({ content: piece });
    chunk({}, answer.calls ? 'tool_calls' : answer.cut ? 'length' : 'stop');
    send({ ...base, choices: [], usage: this.usage(usage) });
    send('[DONE]');
  },
  whole(answer, { id, model, usage }) {
    const calls = answer.calls?.map((call, index) => ({
      id: `call-${id}-${index}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) },
    }));
    const message = { role: 'assistant', content: answer.text ?? null, ...(calls ? { tool_calls: calls } : {}) };
    const choice = { index: 0, finish_reason: calls ? 'tool_calls' : 'stop', message };
    return { id: `chat-${id}`, object: 'chat.completion', created: 1, model, choices: [choice], usage: this.usage(usage) };
  },
  usage: ({ input, output }) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output }),
  fault: (status, words) => ({ error: { message: words, type: 'invalid_request_error', code: status } }),
};

// ---- OpenAI Responses --------------------------------------------------------------------------

const OUTPUTS = /^(function_call_output|local_shell_call_output|custom_tool_call_output)$/;

const responses = {
  read(body) {
    const items = Array.isArray(body.input) ? body.input : [{ role: 'user', content: body.input ?? '' }];
    return {
      prompt: joined(items.filter((one) => one.role === 'user').map((one) => textOf(one.content))),
      results: items.filter((one) => OUTPUTS.test(one.type)).map((one) => textOf(one.output)),
      tools: (body.tools ?? []).map((tool) => tool.name ?? tool.type),
    };
  },
  items(answer, id) {
    const calls = (answer.calls ?? []).map((call, index) => ({
      type: 'function_call', id: `fc-${id}-${index}`, call_id: `call-${id}-${index}`, name: call.name,
      arguments: JSON.stringify(call.args), status: 'completed',
    }));
    if (answer.text === undefined) return calls;
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
    return [...calls, { type: 'message', id: `msg-${id}`, role: 'assistant', status: 'completed', content }];
  },
  write(send, answer, { id, model, usage }) {
    let number = 0;
    const event = (type, fields) => send({ type, sequence_number: number++, ...fields }, type);
    const response = { id: `resp-${id}`, object: 'response', model, status: 'in_progress', output: [] };
    event('response.created', { response });
    const items = this.items(answer, id);
    items.forEach((item, output_index) => {
      const begun = item.type === 'message' ? { content: [] } : { arguments: '' };
      event('response.output_item.added', { output_index, item: { ...item, ...begun, status: 'in_progress' } });
      for (const delta of item.type === 'message' ? pieces(answer.text) : []) {
        event('response.output_text.delta', { output_index, content_index: 0, item_id: item.id, delta });
      }
      event('response.output_item.done', { output_index, item });
    });
    event('response.completed', { response: this.whole(answer, { id, model, usage }) });
  },
  whole(answer, { id, model, usage: { input, output } }) {
    const usage = {
      input_tokens: input, input_tokens_details: { cached_tokens: 0 }, output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 }, total_tokens: input + output,
    };
    return { id: `resp-${id}`, object: 'response', model, status: 'completed', output: this.items(answer, id), usage };
  },
  fault: chat.fault,
};

// ---- Anthropic Messages ------------------------------------------------------------------------

const messages = {
  read(body) {
    const parts = (body.messages ?? []).filter((one) => one.role === 'user').flatMap((one) =>
      Array.isArray(one.content) ? one.content : [{ type: 'text', text: one.content }]);
    return {
      prompt: joined(parts.filter((part) => part.type === 'text').map((part) => part.text)),
      results: parts.filter((part) => part.type === 'tool_result').map((part) => textOf(part.content)),
      tools: (body.tools ?? []).map((tool) => tool.name),
    };
  },
  blocks: (answer, id) => [
    ...(answer.text === undefined ? [] : [{ type: 'text', text: answer.text }]),
    ...(answer.calls ?? []).map((call, index) => ({ type: 'tool_use', id: `toolu_${id}_${index}`, name: call.name, input: call.args })),
  ],
  write(send, answer, facts) {
    const event = (type, fields) => send({ type, ...fields }, type);
    const { usage } = facts;
    event('message_start', { message: { ...this.whole(answer, facts), content: [], stop_reason: null } });
    this.blocks(answer, facts.id).forEach((block, index) => {
      const text = block.type === 'text';
      event('content_block_start', { index, content_block: text ? { type: 'text', text: '' } : { ...block, input: {} } });
      const deltas = text
        ? pieces(block.text).map((piece) => ({ type: 'text_delta', text: piece }))
        : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
      for (const delta of deltas) event('content_block_delta', { index, delta });
      event('content_block_stop', { index });
    });
    const stop_reason = answer.calls ? 'tool_use' : answer.cut ? 'max_tokens' : 'end_turn';
    event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output } });
    event('message_stop', {});
  },
  whole(answer, { id, model, usage }) {
    const counts = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    return {
      id: `msg_${id}`, type: 'message', role: 'assistant', model, content: this.blocks(answer, id),
      stop_reason: answer.calls ? 'tool_use' : 'end_turn', stop_sequence: null,
      usage: { input_tokens: usage.input, output_tokens: usage.output, ...counts },
    };
  },
  fault: (status, words) => ({ type: 'error', error: { type: status === 401 ? 'authentication_error' : 'api_error', message: words } }),
};

// Text in two pieces, so that a client that loses one is found out.
function pieces(text) {
  if (!text) return [];
  const half = text.length >> 1;
  return [text.slice(0, half), text.slice(half)].filter(Boolean);
}

/** The interface a request is for, by its path. */
export function dialectOf(path) {
  if (path.endsWith('/chat/completions')) return chat;
  if (path.endsWith('/responses')) return responses;
  if (path.endsWith('/messages')) return messages;
  return undefined;
}
