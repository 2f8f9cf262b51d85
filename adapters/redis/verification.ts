import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import type { openTerms } from './terms.ts'

/** The interface's user verification record. */
export type Verification = {
  uid: string
  emailVerified: boolean
  emailVerifiedAt: number | null
  phoneVerified: boolean
  phoneVerifiedAt: number | null
  tosAccepted: boolean
  tosAcceptedAt: number | null
}
/** A person with the addresses they have now. */
export type Addressed = { uid: string; mail: string; mobile?: string | undefined }
export type AddressKind = 'mail' | 'mobile'

/**
 * What a person has verified and accepted; durable, by uid. Who has no record has verified nothing. A verification
 * keeps the address it was for and holds only while the account has that address, so that a change ends it by itself,
 * also one made by other means, and a late confirmation of the old address confirms nothing (attacks row 17). Each version
 * of the terms that somebody accepted is kept with its time; `tosAccepted` is about the one in force.
 */
export function openVerification(
  { client, durably }: Connection,
  keys: Keys,
  terms: Pick<ReturnType<typeof openTerms>, 'standing'>,
) {
  const key = (uid: string) => keys.durable('verification', uid.toLowerCase())

  async function of({ uid, mail, mobile }: Addressed): Promise<Verification> {
    const [kept, { version }] = await Promise.all([client.hgetall(key(uid)), terms.standing()])
    const email = confirmed(kept, 'mail', mail)
    const phone = confirmed(kept, 'mobile', mobile)
    const accepted = kept[acceptance(version)]
    const tos = accepted === undefined ? null : Number(accepted)
    return {
      uid,
      emailVerified: email !== null,
      emailVerifiedAt: email,
      phoneVerified: phone !== null,
      phoneVerifiedAt: phone,
      tosAccepted: tos !== null,
      tosAcceptedAt: tos,
    }
  }

  return {
    of,
    /** The one thing of it that claims tell, in one command. */
    async mailVerified({ uid, mail }: Pick<Addressed, 'uid' | 'mail'>): Promise<boolean> {
      const [kept, at] = await client.hmget(key(uid), 'mail', 'mailAt')
      return confirmed({ ...(kept && { mail: kept }), ...(at && { mailAt: at }) }, 'mail', mail) !== null
    },
    /** In the order of `people`, in one round trip. */
    ofMany: (people: Addressed[]): Promise<Verification[]> => Promise.all(people.map(of)),
    /** `address` was shown to be this person's. */
    async confirm(uid: string, kind: AddressKind, address: string): Promise<void> {
      await durably('hset', key(uid), kind, folded(address), `${kind}At`, Date.now())
    },
    /** The first time counts: accepting again changes nothing. */
    async acceptTerms(uid: string, version: number): Promise<void> {
      await durably('hsetnx', key(uid), acceptance(version), Date.now())
    },
    async remove(uid: string): Promise<void> {
      await durably('del', key(uid))
    },
  }
}

const acceptance = (version: number) => `tos:${version}`

function confirmed(
  kept: Record<string, string>,
  kind: AddressKind,
  address: string | undefined,
): number | null {
  return address && kept[kind] === folded(address) ? Number(kept[`${kind}At`]) : null
}

function folded(address: string): string {
  return address.trim().toLowerCase()
}
