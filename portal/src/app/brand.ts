/** Name and picture of the service, as the page says them: from the configuration, in one place. */
export const brand = {
  name: document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? '',
  icon: document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? '',
}
