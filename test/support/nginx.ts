import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNginx } from './programs.ts'
import { answers } from './reachable.ts'

/**
 * A private nginx on loopback in front of one or more pods, as docs/operations.md has it: connections to them are kept
 * for a second, what may be asked twice is asked of the next pod when one fails, and its own failures are answered as ours
 * are. Its buffers have the sizes that nginx gives them by itself.
 */
export async function startNginx(pods: string[], port: number) {
  const { path, env } = await findNginx()
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-nginx-'))
  await chmod(dir, 0o755)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  )
  await writeFile(
    join(dir, 'nginx.conf'),
    `daemon off;
worker_processes 1;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  upstream pods {
    ${pods.map((pod) => `server ${new URL(pod).host} max_fails=1 fail_timeout=1s;`).join('\n    ')}
    keepalive 32;
    keepalive_timeout 1s;
  }
  server {
    listen 127.0.0.1:${port};
    error_page 502 504 @away;
    location @away {
      internal;
      default_type application/json;
      return 502 '{"name":"UpstreamFailure","message":"The service does not answer: try again later."}';
    }
    location / {
      proxy_pass http://pods;
      proxy_http_version 1.1;
      proxy_next_upstream error timeout;
      proxy_next_upstream_tries 2;
      proxy_connect_timeout 1s;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
}
`,
  )
  const child = spawn(path, ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await answers(url)
  return {
    url,
    log: () => readFile(join(dir, 'error.log'), 'utf8').catch(() => ''),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'close')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
