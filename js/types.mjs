// TypeScript declarations from the JSON Schemas of the engine, so that no shape is written twice.
// Knows the shapes that the schemas have and refuses any other.

const TITLES = { error: 'ErrorData' };
// Names that mean something else in TypeScript, or in the driver.
const RENAMED = { Promise: 'PlayerPromise', Mission: 'MissionState', Ended: 'EndedRun', Report: 'RoleReport', CommandLine: 'ShownCommand' };
const LOOSE = new Set(['required', 'default', 'description', '$defs', '$id', '$schema', 'title']);

/** The declarations of every type that the schemas name, each once, in a fixed order. */
export function typesOf(schemas) {
  const declared = new Map();
  const shapes = new Map();
  const declare = (name, schema) => {
    // One name must not mean two shapes; words, and whether a field may be left out, are no difference.
    const shape = JSON.stringify(schema, (key, value) => (LOOSE.has(key) ? undefined : value));
    if (shapes.has(name) && shapes.get(name) !== shape) throw new Error(`two types are named ${name}`);
    if (!declared.has(name)) declared.set(name, declaration(name, schema));
    shapes.set(name, shape);
  };
  const names = Object.keys(schemas);
  // `config` and `event` are described as they may be sent, so they come first and win.
  const first = ['config', 'event'];
  names.sort((a, b) => first.indexOf(b) - first.indexOf(a) || (a < b ? -1 : 1));
  for (const name of names) {
    const schema = schemas[name];
    declare(TITLES[name] ?? pascal(schema.title), schema);
    for (const [key, definition] of Object.entries(schema.$defs ?? {})) declare(pascal(key), definition);
  }
  return [...declared.keys()].sort().map((name) => declared.get(name)).join('\n');
}

function declaration(name, schema) {
  return `${doc(schema.description, '')}export type ${name} = ${typeOf(schema, '')};\n`;
}

function pascal(text) {
  const name = text.replace(/(?:^|[-_])(\w)/g, (_, letter) => letter.toUpperCase());
  return RENAMED[name] ?? name;
}

function doc(text, indent) {
  if (!text) return '';
  // Links of the Rust documentation become plain code words.
  const plain = text.replace(/\[(`[^`\]]+`)\](?:\([^)]*\))?/g, '$1').replaceAll('*/', '* /');
  const lines = plain.split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function typeOf(schema, indent) {
  if (schema === true) return 'unknown';
  const parts = [];
  if (schema.$ref) parts.push(pascal(schema.$ref.replace('#/$defs/', '').replace(/^#$/, 'Self')));
  for (const key of ['oneOf', 'anyOf']) {
    if (schema[key]) parts.push(union(schema[key].map((one) => typeOf(one, indent))));
  }
  if (schema.allOf) parts.push(...schema.allOf.map((one) => typeOf(one, indent)));
  if ('const' in schema) parts.push(JSON.stringify(schema.const));
  else if (schema.enum) parts.push(union(schema.enum.map((one) => JSON.stringify(one))));
  else if (schema.type) parts.push(typed(schema, indent));
  const whole = parts.filter((part) => part !== undefined);
  if (whole.length === 0) {
    if (Object.keys(schema).every((key) => ['description', 'title', 'default', '$schema', '$id'].includes(key))) return 'unknown';
    throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
  return whole.length === 1 ? whole[0] : whole.map((part) => `(${part})`).join(' & ');
}

const union = (types) => [...new Set(types)].join(' | ');

function typed(schema, indent) {
  const types = [schema.type].flat().map((type) => {
    switch (type) {
      case 'string': case 'boolean': case 'null': return type;
      case 'integer': return 'number';
      case 'array': return list(schema, indent);
      case 'object': return object(schema, indent);
      default: throw new Error(`no type for ${type}`);
    }
  });
  return union(types);
}

function list(schema, indent) {
  if (schema.prefixItems) return `[${schema.prefixItems.map((one) => typeOf(one, indent)).join(', ')}]`;
  return `Array<${typeOf(schema.items ?? true, indent)}>`;
}

function object(schema, indent) {
  const fields = Object.entries(schema.properties ?? {});
  const rest = schema.additionalProperties;
  const named = rest === undefined || typeof rest === 'boolean';
  const patterns = Object.values(schema.patternProperties ?? {});
  const values = named ? patterns : [rest, ...patterns];
  if (fields.length === 0) {
    if (values.length === 0) return rest === false ? 'Record<string, never>' : bare(schema);
    return `Record<string, ${union(values.map((one) => typeOf(one, indent)))}>`;
  }
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const lines = fields.map(([name, field]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const mark = required.has(name) ? '' : '?';
    return `${doc(field.description, inner)}${inner}${key}${mark}: ${typeOf(field, inner)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

// An object of which nothing is said beside a reference adds nothing to it.
const bare = (schema) => (schema.$ref || schema.oneOf || schema.anyOf ? undefined : 'Record<string, unknown>');
