import { useState } from 'react'
import { listProjectDomains } from '#contract/api/project-domain.ts'
import { useRead } from '../../api/query.ts'
import { useProject } from '../../project/project.ts'
import { Button } from '../../ui/control/button.tsx'
import { CopyLine } from '../../ui/control/copy-button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { SettingSwitch } from '../setting-switch.tsx'
import { useTitle } from '../use-title.ts'
import { DomainDialog } from './domain-dialog.tsx'
import { DomainItem } from './domain-item.tsx'

/** The names under which the project is visited. */
export function ProjectDomainsPage() {
  const project = useProject()
  // A project has 50 of them at most.
  const { domains } = useRead('project-domain', listProjectDomains, {
    params: { idOrName: project.id },
    query: { limit: 100 },
  })
  const [adding, setAdding] = useState(false)
  useTitle(`${project.name} domains`)
  return (
    <>
      <Card
        title="Domains"
        about="Custom domains for this project, with what's left to set up."
        actions={
          <Button icon="plus" look="primary" size="small" onClick={() => setAdding(true)}>
            Add domain
          </Button>
        }
        flush
      >
        {domains.length === 0 ? (
          <Empty icon="domain" title="No custom domains yet">
            <p>The project is available at its default URLs. Add a domain here or from the command line:</p>
            <div className="mt-4 text-left">
              <CopyLine text={`aloft domains attach example.com ${project.name}`} />
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
      <Card title="Automatic promotion">
        <SettingSwitch
          project={project}
          setting="autoAssignCustomDomains"
          label="Assign production domains automatically"
          hint="When off, new production deployments don't go live until you promote them. Rolling back or pausing turns this off."
        />
      </Card>
      {adding && <DomainDialog project={project} siblings={domains} onClose={() => setAdding(false)} />}
    </>
  )
}
