import { useState } from 'react'
import { listProjectDomains } from '#contract/api/project-domain.ts'
import { useRead } from '../api/query.ts'
import { useProject } from '../project/project.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Empty } from '../ui/empty.tsx'
import { DomainDialog } from './domain-dialog.tsx'
import { DomainItem } from './domain-item.tsx'
import { SettingSwitch } from './setting-switch.tsx'
import { useTitle } from './use-title.ts'

/** The names under which the project is visited. */
export function ProjectDomainsPage() {
  const project = useProject()
  // A project has 50 of them at most.
  const { domains } = useRead('project-domain', listProjectDomains, {
    params: { idOrName: project.id },
    query: { limit: 100 },
  })
  const [adding, setAdding] = useState(false)
  useTitle(`Domains of ${project.name}`)
  return (
    <>
      <Card
        title="Domains"
        about="Names of your own for this project. Each says what is left to do until it works."
        actions={
          <Button icon="plus" look="primary" size="small" onClick={() => setAdding(true)}>
            Add a domain
          </Button>
        }
        flush
      >
        {domains.length === 0 ? (
          <Empty icon="domain" title="No domain of its own yet">
            <p>
              The project is visited under its hosts on this installation. Add a domain here, or with the CLI:
            </p>
            <div className="mt-4 text-left">
              <CopyLine text={`npx aloft domains attach example.com ${project.name}`} />
            </div>
          </Empty>
        ) : (
          <ul className="divide-y divide-line border-t border-line">
            {domains.map((domain) => (
              <DomainItem key={domain.name} project={project} domain={domain} siblings={domains} />
            ))}
          </ul>
        )}
      </Card>
      <Card title="New deployments">
        <SettingSwitch
          project={project}
          setting="autoAssignCustomDomains"
          label="Production deployments go on the domains as soon as they are ready"
          hint="Off: they wait for a promotion. A pause and a rollback switch it off."
        />
      </Card>
      {adding && <DomainDialog project={project} siblings={domains} onClose={() => setAdding(false)} />}
    </>
  )
}
