import type { Static, TProperties, TSchema } from 'typebox'
import type { LeafOptions } from './setting-kinds.ts'
import { choice, choices, flag, group, list, text, whole } from './setting-kinds.ts'
import { ldap } from './settings-ldap.ts'

/**
 * The one declaration of settings. A leaf gives its type, default, sentence, secrecy and second names;
 * its path is its environment name: `ldap.bindDN` is `app_ldap__bindDN`. Read by config.ts, documented in
 * docs/configuration.md (generated).
 */
export const Settings = group({
  listen: group({
    host: text('127.0.0.1', 'Address to listen on.', { bootstrap: true }),
    port: whole(3000, 'Port to listen on.', { minimum: 0, maximum: 65535, bootstrap: true }),
    drain: whole(
      5,
      'How long a pod that was told to end (SIGTERM) says so at /readyz and takes connections all the same, seconds: longer than what stands before it takes to notice and keeps an idle connection. As long again it waits at most for open connections to end.',
      { maximum: 300, bootstrap: true },
    ),
  }),
  trust_proxy: list([], 'Addresses or CIDRs of proxies whose X-Forwarded-For is believed.'),
  log: group({
    level: choice(
      ['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent'],
      'Least level that is logged.',
    ),
  }),
  branding: group({
    name: text('Latchkey', 'Name of the service on pages and in mails.'),
    logo: text('', 'File with a square picture, .svg or .png, in place of ours.', { bootstrap: true }),
  }),
  portal: group({
    serve: flag(true, 'Serve the portal, where it was built (npm run build); otherwise / is a plain page.'),
  }),
  first_admin: group({
    uid: text(
      'admin',
      'Username of the administrator made at first start when no app_sso_admin group exists.',
      {
        bootstrap: true,
      },
    ),
    mail: text('admin@localhost.localdomain', 'Mail address of that first administrator.', {
      bootstrap: true,
    }),
  }),
  ldap,
  redis: group({
    url: text('redis://127.0.0.1:6379', 'Redis URL (redis:// or rediss://), for a single server.', {
      bootstrap: true,
      secret: true,
    }),
    sentinels: list(
      [],
      'host:port of the Sentinels; when given, url serves for user, password and database.',
      {
        bootstrap: true,
      },
    ),
    sentinel_name: text('mymaster', 'Name of the primary at the Sentinels.', { bootstrap: true }),
    cluster: list(
      [],
      'host:port of nodes of a Redis Cluster; when given, url serves for user and password.',
      {
        bootstrap: true,
      },
    ),
    prefix: text('latchkey', 'First part of every key.', { bootstrap: true }),
    timeout: whole(3000, 'Longest a Redis command may take, milliseconds.', {
      minimum: 100,
      bootstrap: true,
    }),
    replicas: whole(0, 'Replicas that must have a durable write before it counts as made (WAIT).', {
      maximum: 8,
      bootstrap: true,
    }),
  }),
  smtp: group({
    host: text('', 'SMTP server; empty: no mail is sent.'),
    port: whole(587, 'SMTP port.', { minimum: 1, maximum: 65535 }),
    secure: flag(false, 'TLS from the first byte (port 465); otherwise STARTTLS when offered.'),
    verify: flag(true, 'Verify the certificate of the SMTP server.'),
    user: text('', 'SMTP username.'),
    pass: text('', 'SMTP password.', { secret: true }),
    from: text('Latchkey <no-reply@localhost.localdomain>', 'Sender of every mail.'),
    timeout: whole(10000, 'Longest an SMTP exchange may stall, milliseconds.', { minimum: 100 }),
  }),
  sms: group({
    accountSid: text('', 'Twilio account SID; empty: no SMS is sent.'),
    authToken: text('', 'Twilio auth token.', { secret: true }),
    from: text('', 'Sender number.'),
    url: text('https://api.twilio.com', 'Address of the Twilio API.'),
    timeout: whole(10000, 'Longest an SMS request may take, milliseconds.', { minimum: 100 }),
  }),
  delivery: group({
    attempts: whole(8, 'How often a mail, SMS or logout notice is tried before it is given up.', {
      minimum: 1,
      maximum: 30,
    }),
    backoff: whole(1000, 'Pause after the first failure, milliseconds; it doubles with each.', {
      minimum: 1,
    }),
    concurrency: whole(4, 'Messages under way at once in each pod.', {
      minimum: 1,
      maximum: 64,
    }),
  }),
  webhooks: group({
    attempts: whole(14, 'How often a message to a webhook is tried before it is given up.', {
      minimum: 1,
      maximum: 30,
    }),
    backoff: whole(5000, 'Pause after the first failure, milliseconds; it doubles with each.', {
      minimum: 1,
    }),
  }),
  plugins: group({
    timeout: whole(60_000, 'Longest a run of a plugin may take, milliseconds; then its process is killed.', {
      minimum: 100,
      maximum: 3_600_000,
    }),
    memory: whole(128, 'Heap that a run of a plugin may use, MB; above it its process ends.', {
      minimum: 16,
      maximum: 4096,
    }),
    folder: text('', 'Folder that plugins write backups to, on a disk that all pods share; none without.', {
      bootstrap: true,
    }),
    concurrency: whole(2, 'Runs of plugins under way at once in each pod.', { minimum: 1, maximum: 16 }),
  }),
  egress: group({
    allow: list(
      [],
      'Host names, addresses and CIDRs outside of the public internet that requests to applications may go to.',
    ),
    timeout: whole(5000, 'Longest a request to an application may take, milliseconds.', { minimum: 100 }),
  }),
  oauth: group({
    issuer: text('', 'Issuer URL: the address browsers use, https outside of a single machine.', {
      env: 'OAUTH_ISSUER',
      required: true,
    }),
    jwtSecret: text(
      '',
      'Signing secret, 32 characters or more; changing it voids all sessions, codes and tokens.',
      {
        env: 'JWT_SECRET',
        required: true,
        secret: true,
      },
    ),
    token_lifetime: group({
      access_token: whole(3600, 'Lifetime of access tokens, seconds.', { minimum: 1 }),
      refresh_token: whole(2592000, 'Lifetime of refresh tokens, seconds.', { minimum: 1 }),
    }),
    keys: group({
      period_seconds: whole(
        7_776_000,
        'A key signs ID tokens for this long, seconds; then the next one does.',
        {
          minimum: 2,
        },
      ),
      prepublish_seconds: whole(
        604_800,
        'The next key stands in the JWKS this long before it signs, seconds: longer than applications keep a JWKS.',
        { minimum: 1 },
      ),
      retain_seconds: whole(
        2_592_000,
        'A key stays in the JWKS this long after it signed last, seconds: at least as long as ID tokens and sessions last.',
        { minimum: 1 },
      ),
    }),
    subject: choice(['uid', 'entryUUID'], 'What `sub` holds.'),
    http_redirects: choice(['allowed', 'loopback'], 'Where exact redirect URIs may be plain http.'),
  }),
  auth: group({
    session_idle_seconds: whole(43200, 'A session ends after this long without use, seconds.', {
      minimum: 1,
    }),
    session_absolute_seconds: whole(2592000, 'A session ends after this long, seconds.', { minimum: 1 }),
    failures: whole(30, 'Failures for one account within the window that close its doors.', { minimum: 1 }),
    failure_window_seconds: whole(
      900,
      'Window of those failures, and how long the doors stay closed, seconds.',
      {
        minimum: 1,
      },
    ),
    impersonate_admins: flag(true, 'Whether administrators may be impersonated.'),
    require_current_password: flag(false, 'An own password change must carry the current one.'),
  }),
  invite: group({
    lifetime_seconds: whole(604_800, 'An invite can be accepted for this long, seconds.', { minimum: 60 }),
    only_owned_groups: flag(false, 'Who is no administrator may assign only groups they own.'),
  }),
  audit: group({
    retention_days: whole(365, 'Events older than this are removed from the audit log, days.', {
      minimum: 1,
    }),
  }),
  seal: group({
    key: text(
      '',
      'Key of what must outlive a new signing secret: stored secrets and the seals of the audit log, 32 characters or more; empty: made from the signing secret.',
      { secret: true, bootstrap: true },
    ),
  }),
  onboarding: group({
    needs: choices(['tos', 'dob', 'password'], 'Which steps an account may have open.'),
    enforce: choice(
      ['pages', 'api'],
      'Where open steps stop people: pages lead through them; the API refuses nearly everything as well.',
    ),
  }),
})
export type Config = Static<typeof Settings>

/** A leaf of the declaration with its path, e.g. `['ldap', 'bindDN']`. */
export type Leaf = {
  path: string[]
  schema: TSchema & LeafOptions & { description: string; default: unknown }
}

/** All leaves, in the order of the declaration. */
export function leaves(): readonly Leaf[] {
  return all
}
const all = leavesOf(Settings, [])

function leavesOf(schema: TSchema, path: string[]): Leaf[] {
  const properties = (schema as { properties?: TProperties }).properties
  if (!properties) return [{ path, schema: schema as Leaf['schema'] }]
  return Object.entries(properties).flatMap(([name, inner]) => leavesOf(inner, [...path, name]))
}

/** What stands in a tree at a path, `undefined` where there is none. */
export function valueAt(tree: object, path: string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], tree)
}

/** Puts a value into a tree, in place. */
export function place(tree: object, [name = '', ...rest]: string[], value: unknown): void {
  const inner = tree as Record<string, unknown>
  if (rest.length === 0) inner[name] = value
  else place((inner[name] ??= {}) as object, rest, value)
}
