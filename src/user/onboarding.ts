import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'

export type OnboardingNeed = 'tos' | 'dob' | 'password'
export type OnboardingDeps = Pick<Deps, 'config' | 'store' | 'directory'>

/**
 * The steps still open before somebody is done (contract section 2, `onboardingNeeds`), in the order they are asked.
 * `tos` only while there is a text, `dob` only where the directory can hold it: nobody is asked for what cannot be done.
 */
export async function onboardingNeeds(
  { config, store, directory }: OnboardingDeps,
  entry: UserEntry,
): Promise<OnboardingNeed[]> {
  const { needs } = config.onboarding
  const [{ tosAccepted }, { inForce }] = needs.includes('tos')
    ? await Promise.all([store.verification.of(entry), store.terms.standing()])
    : [{ tosAccepted: true }, { inForce: false }]
  const open = {
    tos: inForce && !tosAccepted,
    dob: !entry.dateOfBirth && directory.keepsDatesOfBirth,
    password: entry.password_must_change,
  }
  return order.filter((need) => open[need] && needs.includes(need))
}

const order: readonly OnboardingNeed[] = ['tos', 'dob', 'password']
