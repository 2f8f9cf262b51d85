import type { BackendModule, CustomTypeOptions, ReadCallback } from 'i18next'
import i18next from 'i18next'
import { useSyncExternalStore } from 'react'
import { initReactI18next } from 'react-i18next'

/** Languages that are complete; a test compares their keys. Their folders hold one file for each area. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch' }

const catalogues = import.meta.glob<{ default: Record<string, unknown> }>('./*/*.json')

const fromFiles: BackendModule = {
  type: 'backend',
  init() {},
  read(language: string, area: string, done: ReadCallback) {
    const load = catalogues[`./${language}/${area}.json`]
    if (!load) return done(new Error(`no texts ${language}/${area}`), false)
    load().then(
      ({ default: texts }) => done(null, texts),
      (error) => done(error, false),
    )
  },
}

/** Texts of the shell, in the language kept in this browser, else the first it asks for that there is. */
export async function startTexts(): Promise<void> {
  await i18next
    .use(fromFiles)
    .use(initReactI18next)
    .init({
      lng: kept() ?? asked(),
      fallbackLng: false,
      ns: ['app'],
      defaultNS: 'app',
      interpolation: { escapeValue: false },
    })
  document.documentElement.lang = i18next.language
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language
  })
}

/** Loads an area's texts before its first screen is shown. */
export async function texts(...areas: Area[]): Promise<void> {
  await i18next.loadNamespaces(areas)
}
export type Area = Exclude<keyof CustomTypeOptions['resources'], 'app'>

export function useLanguage(): [Language, (language: Language) => void] {
  const language = useSyncExternalStore(
    (changed) => {
      i18next.on('languageChanged', changed)
      return () => i18next.off('languageChanged', changed)
    },
    () => i18next.language as Language,
  )
  return [language, setLanguage]
}

function setLanguage(language: Language): void {
  try {
    localStorage.setItem(key, language)
  } catch {}
  void speak(language)
}

/** From now on, without keeping it; answers once its texts are there. */
export async function speak(language: Language): Promise<void> {
  if (language !== i18next.language) await i18next.changeLanguage(language)
}

const key = 'latchkey-language'

function kept(): Language | undefined {
  try {
    return languages.find((language) => language === localStorage.getItem(key))
  } catch {
    return undefined
  }
}

function asked(): Language {
  for (const wanted of navigator.languages) {
    const found = languages.find((language) => wanted.toLowerCase().split('-')[0] === language)
    if (found) return found
  }
  return 'en'
}
