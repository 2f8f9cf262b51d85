import { join } from 'node:path'
import { Eta } from 'eta'

/** What each template of `views/mail` shows. */
export type MailViews = {
  letter: {
    subject: string
    brand: string
    before: string[]
    code: string | undefined
    link: { label: string; href: string } | undefined
    after: string[]
  }
  /** `message` is HTML that was made safe. */
  notification: { subject: string; brand: string; message: string }
}

const views = new Eta({ views: join(import.meta.dirname, '../../views/mail'), cache: true })

/** The HTML of a mail. Eta escapes whatever a template prints. */
export function renderMail<V extends keyof MailViews>(view: V, said: MailViews[V]): string {
  return views.render(view, said)
}
