import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'
import { deliver } from '#src/mail/deliver.ts'
import type { AccessRequest } from './schemas.ts'

type Needs = Pick<Deps, 'store' | 'users' | 'groups' | 'config'>

/** At most so many directory admins are written to where a resource has no owner. */
const mostTold = 20

/** Writes to the owner of the resource, or to the directory admins where it has none. */
export async function tellDeciders(deps: Needs, request: AccessRequest): Promise<void> {
  const person = await deps.users.find(request.uid)
  const name = person ? `${person.givenName} ${person.sn} (${request.uid})` : request.uid
  for (const { mail } of await deciders(deps, request))
    await deliver(deps, mail, {
      subject: `${name} asks for access to ${request.name}`,
      before: [
        `${name} asks for access to ${request.name}.`,
        ...(request.note ? [`“${request.note}”`] : []),
        'The decision is yours.',
      ],
    })
}

/** Writes to whoever asked, and to the owner where somebody else decided. */
export async function tellOfDecision(deps: Needs, request: AccessRequest): Promise<void> {
  const { uid, name, state, decided_by = '', decisionNote } = request
  const granted = state === 'approved'
  const note = decisionNote ? [`“${decisionNote}”`] : []
  const person = await deps.users.find(uid)
  if (person?.mail)
    await deliver(deps, person.mail, {
      subject: granted ? `You have access to ${name}` : `No access to ${name}`,
      before: [
        granted
          ? `${decided_by} gave you access to ${name}.`
          : `${decided_by} did not give you access to ${name}.`,
        ...note,
      ],
    })
  for (const decider of await deciders(deps, request)) {
    if (decider.uid.toLowerCase() === decided_by.toLowerCase()) continue
    await deliver(deps, decider.mail, {
      subject: `The request of ${uid} for ${name} is decided`,
      before: [`${decided_by} ${granted ? 'gave' : 'did not give'} ${uid} access to ${name}.`, ...note],
    })
  }
}

/** Whom to write to: active, with an address, and not the one who asks. */
async function deciders(deps: Needs, request: AccessRequest): Promise<(UserEntry & { mail: string })[]> {
  const record = (await deps.store.resources.current()).resources.get(request.resourceId)
  const owner = record?.owner ? await deps.users.find(record.owner) : undefined
  const people = owner ? [owner] : await directoryAdmins(deps)
  return people.filter((entry): entry is UserEntry & { mail: string } =>
    Boolean(entry.mail && entry.isActive && entry.uid.toLowerCase() !== request.uid.toLowerCase()),
  )
}

async function directoryAdmins({ groups, users }: Needs): Promise<UserEntry[]> {
  const members = await groups.effectiveMembersOf('app_sso_directory_admin')
  return users.findByDns((members?.effective ?? []).slice(0, mostTold))
}
