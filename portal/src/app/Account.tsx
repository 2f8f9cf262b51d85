import type { MantineColorScheme } from '@mantine/core'
import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Me } from '../api/queries.ts'
import type { Language } from '../i18n/texts.ts'
import { languageNames, languages, useLanguage } from '../i18n/texts.ts'
import { IconLogout, IconSelector, IconUserCircle } from '../parts/first-icons.tsx'
import { keepLanguage } from './language.ts'
import { schemes } from './theme.tsx'

/** Who is signed in, and what they set without leaving the screen they are at. */
export function Account({ me }: { me: Me }) {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [language, setLanguage] = useLanguage()
  const name = [me.givenName, me.sn].filter(Boolean).join(' ') || me.uid
  return (
    <>
      <form id="sign-out" method="post" action="/logout" hidden />
      <Menu position="top-start" width="target" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <UnstyledButton className="who">
            <VisuallyHidden>{t('account.menu')}</VisuallyHidden>
            <Avatar name={name} color="brand" radius="xl" size={36} aria-hidden />
            <span className="who-name">
              <Text component="span" truncate fw={600} size="sm" c="bright">
                <bdi>{name}</bdi>
              </Text>
              <Text component="span" truncate size="xs" c="dimmed">
                <bdi>{me.uid}</bdi>
              </Text>
            </span>
            <IconSelector size={18} stroke={1.75} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            renderRoot={(props) => <Link to="/account" {...props} />}
            leftSection={<IconUserCircle size={18} stroke={1.75} />}
          >
            {t('nav.account')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t('theme.name')}</Menu.Label>
          <Menu.RadioGroup
            value={colorScheme}
            onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
          >
            {schemes.map((scheme) => (
              <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
                {t(`theme.${scheme}`)}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Label>{t('language')}</Menu.Label>
          <Menu.RadioGroup
            value={language}
            onChange={(chosen) => {
              setLanguage(chosen as Language)
              void keepLanguage(me, chosen as Language)
            }}
          >
            {languages.map((each) => (
              <Menu.RadioItem key={each} value={each} lang={each} closeMenuOnClick={false}>
                {languageNames[each]}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item
            component="button"
            type="submit"
            form="sign-out"
            closeMenuOnClick={false}
            leftSection={<IconLogout size={18} stroke={1.75} />}
          >
            {t('account.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
