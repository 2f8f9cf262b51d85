import { api, ok } from '../api/client.ts'
import type { Me } from '../api/queries.ts'
import { me as own, queries } from '../api/queries.ts'
import type { Language } from '../i18n/texts.ts'
import { languages, speak } from '../i18n/texts.ts'

/** Speaks the account's language, where it is one of ours, in place of the browser's. */
export async function speakAsAccount({ preferredLanguage }: Me): Promise<void> {
  const wanted = languages.find((language) => preferredLanguage?.toLowerCase().split('-')[0] === language)
  if (wanted) await speak(wanted)
}

/** Keeps the choice with the account, for every browser. Where that fails this browser has it all the same. */
export async function keepLanguage({ uid, impersonator }: Me, preferredLanguage: Language): Promise<void> {
  if (impersonator !== undefined) return
  queries.setQueryData(own.queryKey, (me) => me && { ...me, preferredLanguage })
  await ok(api.PUT('/api/user/{uid}', { params: { path: { uid } }, body: { preferredLanguage } })).catch(
    () => {},
  )
}
