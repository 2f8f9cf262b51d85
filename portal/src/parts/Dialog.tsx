import type { ModalProps } from '@mantine/core'
import { Modal } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** A dialog in the middle, with a button to close it that has a name. */
export function Dialog(props: ModalProps) {
  const { t } = useTranslation('app')
  return <Modal centered closeButtonProps={{ 'aria-label': t('close') }} {...props} />
}
