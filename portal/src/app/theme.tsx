import type { MantineColorScheme, MantineColorsTuple } from '@mantine/core'
import {
  createTheme,
  localStorageColorSchemeManager,
  MantineProvider,
  mergeThemeOverrides,
} from '@mantine/core'
import { setNonce } from 'get-nonce'
import type { ReactNode } from 'react'
import { lazy, Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'

/** The one value of this answer by which the policy lets styles in; libraries that make some get it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
setNonce(nonce)

/** Our own colours have no shades: what fills, what is soft and what is text stands in views/assets/tokens.css. */
const oneColour = (value: string) => Array.from({ length: 10 }, () => value) as unknown as MantineColorsTuple

const theme = createTheme({
  primaryColor: 'brand',
  colors: {
    brand: oneColour('var(--lk-primary-fill)'),
    red: oneColour('var(--lk-alert-fill)'),
    green: oneColour('var(--lk-good)'),
    yellow: oneColour('var(--lk-warn)'),
  },
  fontFamily: 'var(--lk-font)',
  fontFamilyMonospace: 'var(--lk-font-mono)',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem' },
      h3: { fontSize: '1rem' },
    },
  },
  defaultRadius: 'md',
  radius: { md: 'var(--lk-radius)', lg: 'var(--lk-radius-card)' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // A list of options scrolls itself (portal.css): the keyboard moves in it by the arrows of its field, and stops nowhere else.
  components: Object.fromEntries(
    ['Autocomplete', 'MultiSelect', 'TagsInput'].map((name) => [
      name,
      { defaultProps: { withScrollArea: false } },
    ]),
  ),
})

const colour = (name: string, fill: string, text: string, soft: string) => ({
  [`--mantine-color-${name}-filled`]: `var(--lk-${fill})`,
  [`--mantine-color-${name}-filled-hover`]: `var(--lk-${fill}-hover, var(--lk-${fill}))`,
  [`--mantine-color-${name}-light`]: `var(--lk-${soft})`,
  [`--mantine-color-${name}-light-hover`]: `color-mix(in srgb, var(--lk-${soft}), var(--lk-${text}) 8%)`,
  [`--mantine-color-${name}-light-color`]: `var(--lk-${text})`,
  [`--mantine-color-${name}-outline`]: `var(--lk-${text})`,
  [`--mantine-color-${name}-text`]: `var(--lk-${text})`,
})

/** Mantine's variables from ours, which know themselves which scheme is in force. */
const variables = {
  '--mantine-color-body': 'var(--lk-surface)',
  '--mantine-color-text': 'var(--lk-ink)',
  '--mantine-color-bright': 'var(--lk-ink-strong)',
  '--mantine-color-dimmed': 'var(--lk-muted)',
  '--mantine-color-placeholder': 'var(--lk-muted)',
  '--mantine-color-anchor': 'var(--lk-primary)',
  '--mantine-color-error': 'var(--lk-alert)',
  '--mantine-color-default': 'var(--lk-surface)',
  '--mantine-color-default-hover': 'var(--lk-raised)',
  '--mantine-color-default-color': 'var(--lk-ink)',
  '--mantine-color-default-border': 'var(--lk-line)',
  ...colour('brand', 'primary-fill', 'primary', 'primary-soft'),
  ...colour('red', 'alert-fill', 'alert', 'alert-soft'),
  ...colour('green', 'good', 'good', 'good-soft'),
  ...colour('yellow', 'warn', 'warn', 'warn-soft'),
  ...colour('gray', 'secondary', 'secondary', 'raised'),
}

/** Crosses say what they do, and the head of a dialog is not that of the page. */
const dialogs = (close: string) =>
  createTheme({
    components: {
      Modal: {
        defaultProps: {
          closeButtonProps: { 'aria-label': close },
          attributes: { header: { role: 'presentation' } },
        },
      },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': close } } },
    },
  })

const kept = localStorageColorSchemeManager({ key: 'latchkey-theme' })

export const schemes: readonly MantineColorScheme[] = ['light', 'dark', 'auto']

const Told = lazy(async () => ({ default: (await import('./Told.tsx')).Told }))

/** Everything below it has the look of the pages in `views/`. */
export function Theme({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const spoken = useMemo(() => mergeThemeOverrides(theme, dialogs(t('close'))), [t])
  return (
    <MantineProvider
      theme={spoken}
      colorSchemeManager={kept}
      defaultColorScheme="auto"
      cssVariablesResolver={() => ({ variables: {}, light: variables, dark: variables })}
      getStyleNonce={() => nonce}
    >
      <Suspense>
        <Told />
      </Suspense>
      {children}
    </MantineProvider>
  )
}
