import { choice, flag, group, list, text, whole } from './setting-kinds.ts'

/** Where people and groups are: all of it from the environment. */
export const ldap = group({
  url: list(['ldap://127.0.0.1:389'], 'LDAP URLs, tried in order (ldap:// or ldaps://).', {
    bootstrap: true,
  }),
  base: text('', 'Base DN, for example dc=example,dc=org.', { bootstrap: true, required: true }),
  bindDN: text('', 'DN the service binds as; never the root DN.', { bootstrap: true, required: true }),
  bindPassword: text('', 'Password of bindDN.', { bootstrap: true, required: true, secret: true }),
  startTLS: flag(false, 'Upgrade ldap:// connections by StartTLS.', { bootstrap: true }),
  tls: group({
    ca: text('', 'File with the certificate authority (PEM) of the LDAP server; empty: the system’s.', {
      bootstrap: true,
    }),
    verify: flag(true, 'Verify the certificate of the LDAP server.', { bootstrap: true }),
  }),
  timeout: whole(5000, 'Longest an LDAP operation may take, milliseconds.', {
    minimum: 100,
    bootstrap: true,
  }),
  people: group({
    base: text('ou=people', 'Where users are, relative to the base DN (or a whole DN).', {
      bootstrap: true,
    }),
    filter: text('(objectClass=inetOrgPerson)', 'Filter that tells a user entry.', { bootstrap: true }),
    objectClasses: list(
      ['inetOrgPerson', 'posixAccount', 'ldapPublicKey', 'latchkeyAccount'],
      'Classes of new users; those the server does not know are left out.',
      { bootstrap: true },
    ),
    attributes: group({
      uid: text('uid', 'Attribute of the username, also the RDN.', { bootstrap: true }),
      cn: text('cn', 'Attribute of the full name, written as given name and family name.', {
        bootstrap: true,
      }),
      givenName: text('givenName', 'Attribute of the given name.', { bootstrap: true }),
      sn: text('sn', 'Attribute of the family name.', { bootstrap: true }),
      mail: text('mail', 'Attribute of the mail address.', { bootstrap: true }),
      mobile: text('mobile', 'Attribute of the phone number.', { bootstrap: true }),
      sshPublicKey: text('sshPublicKey', 'Attribute of SSH public keys.', { bootstrap: true }),
      dateOfBirth: text('dateOfBirth', 'Attribute of the date of birth (YYYY-MM-DD).', { bootstrap: true }),
      preferredLanguage: text('preferredLanguage', 'Attribute of the language of texts (RFC 2798).', {
        bootstrap: true,
      }),
      uidNumber: text('uidNumber', 'Attribute of the POSIX number.', { bootstrap: true }),
    }),
  }),
  groups: group({
    base: text('ou=groups', 'Where groups are, relative to the base DN (or a whole DN).', {
      bootstrap: true,
    }),
    filter: text('(objectClass=groupOfNames)', 'Filter that tells a group entry.', { bootstrap: true }),
    objectClass: text('groupOfNames', 'Structural class of new groups.', { bootstrap: true }),
    member: text('member', 'Attribute of members.', { bootstrap: true }),
    owner: text('owner', 'Attribute of owners.', { bootstrap: true }),
    placeholder: text('cn=nobody,ou=services', 'Hidden member of a group that would otherwise be empty.', {
      bootstrap: true,
    }),
    graph: flag(
      true,
      'Keep who is in which group in memory where the server has a feed of changes (syncrepl, RFC 4533).',
      { bootstrap: true },
    ),
  }),
  number: group({
    entry: text('cn=uidNumber,ou=services', 'Counter entry of uidNumber and gidNumber.', {
      bootstrap: true,
    }),
    minimum: whole(10000, 'First number given.', { minimum: 1, bootstrap: true }),
  }),
  decoy: text('cn=decoy,ou=services', 'Entry on which passwords of unknown and locked users are checked.', {
    bootstrap: true,
  }),
  password: group({
    hash: choice(
      ['argon2id', 'server'],
      'Who hashes new passwords: argon2id here, or the server, whose password policy then sees them in clear.',
      { bootstrap: true },
    ),
    memory: whole(19_456, 'Memory of an argon2id hash, KiB; the default is what OWASP asks for.', {
      minimum: 1024,
      bootstrap: true,
    }),
    passes: whole(2, 'Passes of an argon2id hash.', { minimum: 1, bootstrap: true }),
  }),
  pool: group({
    shared: whole(2, 'Shared connections for reads and writes.', {
      minimum: 1,
      maximum: 64,
      bootstrap: true,
    }),
    listings: whole(2, 'Connections for long listings.', { minimum: 1, maximum: 16, bootstrap: true }),
    binds: whole(2, 'Password checks at one time per pod.', { minimum: 1, maximum: 16, bootstrap: true }),
    waiting: whole(256, 'Password checks that may wait; more answer 429.', { minimum: 1, bootstrap: true }),
  }),
})
