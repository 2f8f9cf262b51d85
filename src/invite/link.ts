import type { InviteRecord } from '#adapters/redis/invites.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { deliver } from '#src/mail/deliver.ts'
import type { Letter } from '#src/mail/letter.ts'

type Needs = Pick<Deps, 'store' | 'config' | 'mail'>

/** Sends an address the link by which it accepts an invite; only whoever reads its mail has that link. */
export async function sendLink(deps: Needs, invite: InviteRecord, address: string): Promise<void> {
  await deliver(deps, address, await verificationLetter(deps, invite, address))
}

/** Counts a link that is asked for. Throws TooManyRequests. */
export async function countLink({ store }: Pick<Needs, 'store'>, { id }: InviteRecord): Promise<void> {
  const { current } = await store.rates.count(`invite ${id}`, hour)
  if (current > mostLinks) throw new Refusal('TooManyRequests')
}

/** How many links an hour one invite sends: whoever has it could write to anybody with it. */
const mostLinks = 20
const hour = 3_600_000

/** The letter with a new link, bound to this invite and this address. */
export async function verificationLetter(
  { store, config }: Pick<Needs, 'store' | 'config'>,
  invite: InviteRecord,
  address: string,
): Promise<Letter> {
  const mailToken = await store.invites.issueMailToken(invite, address)
  const brand = config.branding.name
  const until = new Date(invite.expires_at).toISOString().slice(0, 10)
  return {
    subject: `You are invited to ${brand}`,
    before: [`Somebody at ${brand} invites you to make an account. Its mail address will be ${address}.`],
    link: {
      label: 'Make your account',
      href: `${config.oauth.issuer}/login/invite/${invite.token}/${mailToken}`,
    },
    after: [`The link works once, until ${until}. If you expected no invite, do nothing.`],
  }
}
