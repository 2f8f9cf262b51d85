import './copy-field.css'
import { Box, Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { focused } from './focused.ts'
import { IconCheck, IconCopy } from './icons.tsx'

type Props = { label: string; value: string; hint?: string; onCopied?: () => void; takesFocus?: boolean }

/** A value that goes somewhere else, with a button that copies it; a click selects it whole, where there is no clipboard. */
export function CopyField({ label, value, hint, onCopied, takesFocus }: Props) {
  const { t } = useTranslation('app')
  return (
    <Box className="copy-field" role="group" aria-label={label}>
      <span className="copy-label">{label}</span>
      {hint && <span className="copy-hint">{hint}</span>}
      <div className="copy-line">
        <code onCopy={onCopied}>{value}</code>
        <CopyOf value={value} label={t('copyOf', { what: label })} {...{ onCopied, takesFocus }} />
      </div>
    </Box>
  )
}

type CopyProps = {
  value: string
  label: string
  onCopied?: (() => void) | undefined
  takesFocus?: boolean | undefined
}

/** Copies a text, and says that it did; `onCopied` is told when it really is in the clipboard. */
export function CopyOf({ value, label, onCopied, takesFocus }: CopyProps) {
  const { t } = useTranslation('app')
  const { copied, copy } = useClipboard({ timeout: 2000 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once for each copy
  useEffect(() => {
    if (copied) onCopied?.()
  }, [copied])
  const Icon = copied ? IconCheck : IconCopy
  return (
    <Button
      size="xs"
      variant="default"
      ref={takesFocus ? focused : undefined}
      aria-label={copied ? t('copied') : label}
      onClick={() => copy(value)}
      leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
    >
      {t(copied ? 'copied' : 'copy')}
    </Button>
  )
}
