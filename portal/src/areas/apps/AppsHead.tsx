import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../parts/PageHead.tsx'
import { myRequests } from './queries.ts'

type Place = '/' | '/catalogue' | '/requests'

/** What the three screens of this area have above them. */
export function AppsHead({ at }: { at: Place }) {
  const { t } = useTranslation('apps')
  const navigate = useNavigate()
  const { data: requests = [] } = useQuery(myRequests)
  const waiting = requests.filter(({ state }) => state === 'pending').length
  const titles = { '/': t('title'), '/catalogue': t('catalogue.title'), '/requests': t('requests.title') }
  return (
    <>
      <PageHead
        title={titles[at]}
        lead={{ '/': t('lead'), '/catalogue': t('catalogue.lead'), '/requests': t('requests.lead') }[at]}
      />
      <Tabs
        value={at}
        onChange={(to) => to && navigate({ to: to as Place })}
        mb="lg"
        activateTabWithKeyboard={false}
      >
        <Tabs.List aria-label={t('tabs')}>
          {(Object.keys(titles) as Place[]).map((place) => (
            <Tabs.Tab key={place} value={place}>
              {place === '/requests' && waiting > 0 ? t('requests.tab', { count: waiting }) : titles[place]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
    </>
  )
}
