import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { argon2id } from '#adapters/ldap/hash.ts'
import type { Binaries } from '#quickstart/binaries.ts'
import { groups, password, people, uidOf } from './names.ts'

/** Above what the directory's own counter gives. */
export const firstNumber = 20_000

/**
 * Loads the people and groups into a stopped slapd, as the service writes them (docs: contract of accounts): everybody
 * in about ten groups, some of them nested. All have one password hash, at the quick start's real cost.
 */
export async function seedDirectory({
  dir,
  base,
  slapd,
}: {
  dir: string
  base: string
  slapd: Binaries['slapd']
}): Promise<void> {
  const hash = await argon2id(password, { memory: 19_456, passes: 2 })
  const entries = [
    ...Array.from({ length: people }, (_, person) => personEntry(person, base, hash)),
    ...Array.from({ length: groups }, (_, group) => groupEntry(group, base)),
  ]
  const file = join(dir, 'bench.ldif')
  await writeFile(file, entries.map((lines) => `${lines.join('\n')}\n`).join('\n'), { mode: 0o600 })
  const env = { ...process.env, ...slapd.env }
  await promisify(execFile)(slapd.path, ['-T', 'add', '-F', 'conf', '-n', '1', '-q', '-l', file], {
    cwd: dir,
    env,
  })
}

export function personEntry(person: number, base: string, hash: string): string[] {
  const uid = uidOf(person)
  const number = firstNumber + person
  return [
    `dn: ${personDn(person, base)}`,
    ...['inetOrgPerson', 'posixAccount', 'ldapPublicKey', 'latchkeyAccount'].map(objectClass),
    ...[`uid: ${uid}`, `cn: Given${person}`, `givenName: Given${person}`, `sn: Family${person}`],
    ...[`mail: ${uid}@example.org`, `mobile: +4930${1_000_000 + person}`, 'dateOfBirth: 1990-01-01'],
    ...[`uidNumber: ${number}`, `gidNumber: ${number}`, `homeDirectory: /home/${uid}`],
    ...['loginShell: /bin/bash', `userPassword: ${hash}`],
  ]
}

/** Person p is a member of the ten groups p, p+7, p+14 … (mod 200); every fifth group holds the one after it. */
function groupEntry(group: number, base: string): string[] {
  const members: string[] = []
  for (let person = 0; person < people; person++) {
    const step = (group - (person % groups) + groups) % groups
    if (step % 7 === 0 && step < 70) members.push(personDn(person, base))
  }
  if (group % 5 === 0) members.push(groupDn(group + 1, base))
  if (group % 20 === 1) members.push(groupDn(group + 1, base))
  return groupLines(group, { number: firstNumber + people + group, base, members })
}

export function groupLines(
  group: number,
  { number, base, members }: { number: number; base: string; members: string[] },
): string[] {
  return [
    `dn: ${groupDn(group, base)}`,
    ...['groupOfNames', 'posixGroup'].map(objectClass),
    ...[`cn: team${group}`, `description: Team ${group}`, `gidNumber: ${number}`],
    `owner: ${personDn(group, base)}`,
    ...members.map((dn) => `member: ${dn}`),
  ]
}

function objectClass(name: string): string {
  return `objectClass: ${name}`
}

export function personDn(person: number, base: string): string {
  return `uid=${uidOf(person)},ou=people,${base}`
}

export function groupDn(group: number, base: string): string {
  return `cn=team${group},ou=groups,${base}`
}
