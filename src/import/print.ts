import type { Plan, Refused, Step } from './plan.ts'

/** A step as one line: `+` is new, `~` changes. Never a password or a hash. */
export function stepLine(step: Step): string {
  const at = `(${step.at})`
  switch (step.does) {
    case 'make person': {
      const { uid, ...fields } = step.fields
      const { uidNumber, homeDirectory, loginShell, locked } = step.brought
      const all = Object.entries({ ...fields, uidNumber, homeDirectory, loginShell })
      const said = all.filter(([, value]) => value !== undefined).map(([name, value]) => `${name} ${value}`)
      return line('+', `person ${uid}: ${said.join(', ')}${locked ? ', locked' : ''}; ${step.password}`, at)
    }
    case 'change person':
      return line(
        '~',
        `person ${step.uid}: ${step.changes.map(({ field, from, to }) => `${field} ${from || '(none)'} → ${to}`).join(', ')}`,
        at,
      )
    case 'make group': {
      const owners = step.owners.length > 0 ? `; owners: ${step.owners.join(', ')}` : ''
      return line('+', `group ${step.cn}: members: ${step.members.join(', ') || '(none)'}${owners}`, at)
    }
    case 'add member':
      return line('+', `member ${step.uid} of ${step.cn}`, at)
    case 'add owner':
      return line('+', `owner ${step.uid} of ${step.cn}`, at)
    case 'nest':
      return line('+', `group ${step.child} nested in ${step.cn}`, at)
  }
}

export function refusedLine({ at, field, reason }: Refused): string {
  return line('!', `refused: ${field} ${reason}`, `(${at})`)
}

/** What the plan comes to. */
export function totals({ steps, refused, source, read }: Plan, requests: number): string[] {
  const count = (does: Step['does']) => steps.filter((step) => step.does === does).length
  const inNew = (who: 'members' | 'owners') =>
    steps.reduce((sum, step) => sum + (step.does === 'make group' ? step[who].length : 0), 0)
  return [
    `The source has ${source.people} people and ${source.groups} groups; ${source.passed} other entries are passed over.`,
    `The directory has ${read.people} people and ${read.groups} groups, read by ${requests} requests.`,
    `${count('make person')} people to make, ${count('change person')} to change, ${count('make group')} groups to make, ` +
      `${inNew('members') + count('add member')} memberships, ${inNew('owners') + count('add owner')} owners and ${count('nest')} nestings to add, ` +
      `${refused.length} refused.`,
  ]
}

const longest = 160

/** What comes from a file must not write to the terminal what it likes. */
function line(sign: string, text: string, at: string): string {
  return `${sign} ${plain(text)} ${plain(at)}`
}

function plain(text: string): string {
  const words = text.split(' ').map((word) => (word.length > longest ? `${word.slice(0, longest)}…` : word))
  return words
    .join(' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}
