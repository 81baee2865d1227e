// A home of its own for each agent, with the scripted model as its only provider. Nothing in it reaches
// beyond loopback, and nothing of the person's own settings is read.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { placeOf } from '../cache.mjs';

const write = (file, value) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
};

// What an agent may inherit of this environment: where programs are, and nothing that names an account.
const KEPT = ['PATH', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR'];

const common = (home) => ({
  ...Object.fromEntries(KEPT.filter((name) => process.env[name]).map((name) => [name, process.env[name]])),
  HOME: home,
  XDG_CONFIG_HOME: path.join(home, '.config'),
  XDG_DATA_HOME: path.join(home, '.local', 'share'),
  XDG_STATE_HOME: path.join(home, '.local', 'state'),
  XDG_CACHE_HOME: path.join(home, '.cache'),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
});

const HOMES = {
  pi(home, url) {
    const folder = path.join(home, 'pi');
    write(path.join(folder, 'models.json'), {
      providers: {
        local: {
          baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'none',
          compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
          models: [{ id: 'scripted-1', contextWindow: 128000, maxTokens: 4096, cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } }],
        },
      },
    });
    write(path.join(folder, 'settings.json'), {
      defaultProvider: 'local', defaultModel: 'scripted-1', quietStartup: true, retry: { enabled: false },
    });
    return { PI_CODING_AGENT_DIR: folder, PI_OFFLINE: '1', PI_TELEMETRY: '0', NODE_COMPILE_CACHE: placeOf('compiled') };
  },
  opencode(home, url) {
    write(path.join(home, '.config', 'opencode', 'opencode.json'), {
      $schema: 'https://opencode.ai/config.json',
      model: 'local/scripted-1',
      small_model: 'local/scripted-1',
      share: 'disabled',
      autoupdate: false,
      provider: {
        local: {
          npm: '@ai-sdk/openai-compatible', name: 'Local', options: { baseURL: `${url}/v1`, apiKey: 'none' },
          models: { 'scripted-1': { name: 'Scripted', cost: { input: 1, output: 2 }, limit: { context: 128000, output: 4096 } } },
        },
      },
    });
    // It gets its plugins' library from npm into each new home and is not there until it has: 64 MB that nothing here uses.
    // What is in its lock file it takes for installed.
    fs.mkdirSync(path.join(home, '.config', 'opencode', 'node_modules'), { recursive: true });
    write(path.join(home, '.config', 'opencode', 'package-lock.json'), {
      packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
    });
    return { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' };
  },
  codex(home, url) {
    const folder = path.join(home, 'codex');
    write(path.join(folder, 'config.toml'), [
      'model = "scripted-1"', 'model_provider = "local"', 'check_for_update_on_startup = false', '',
      '[analytics]', 'enabled = false', '',
      '[model_providers.local]', 'name = "local"', `base_url = "${url}/v1"`, 'wire_api = "responses"',
      'env_key = "SCRIPTED_MODEL"', 'supports_websockets = false', 'request_max_retries = 0', 'stream_max_retries = 0', '',
    ].join('\n'));
    return { CODEX_HOME: folder, SCRIPTED_MODEL: 'none' };
  },
  claude(home, url) {
    return {
      ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', ANTHROPIC_MODEL: 'scripted-1', ANTHROPIC_SMALL_FAST_MODEL: 'scripted-1',
      CLAUDE_CONFIG_DIR: path.join(home, 'claude'), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', IS_SANDBOX: '1',
      DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1', CLAUDE_CODE_MAX_RETRIES: '0',
    };
  },
};

/** Makes the home of an agent in the folder `home`; answers with its whole environment. */
export function environment(agent, home, url, program) {
  fs.mkdirSync(home, { recursive: true });
  const env = { ...common(home), ...HOMES[agent](home, url) };
  if (program) env.PATH = `${path.dirname(program)}:${env.PATH}`;
  return env;
}

/** A repository at `repo` with these files and one commit; answers with git in it. */
export function committed(repo, files, env) {
  const git = (...args) => execFileSync('git', args, { cwd: repo, env, encoding: 'utf8' }).trim();
  for (const [name, text] of Object.entries(files)) write(path.join(repo, name), text);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Tests');
  git('config', 'user.email', 'tests@example.invalid');
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  return git;
}
