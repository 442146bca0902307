import { useProject } from '../../project/project.ts'
import { useTitle } from '../use-title.ts'
import { CompatibilityCards } from './compatibility-cards.tsx'
import { DataCacheCard } from './data-cache-card.tsx'
import { DeleteProject } from './delete-project.tsx'
import { PauseCard } from './pause-card.tsx'
import { ReleaseConfigCard } from './release-config-card.tsx'
import { SkewProtectionCard } from './skew-protection-card.tsx'
import { TransferCard } from './transfer-card.tsx'

export function AdvancedPage() {
  const project = useProject()
  useTitle(`${project.name} advanced settings`)
  return (
    <>
      <PauseCard project={project} />
      <ReleaseConfigCard project={project} />
      <SkewProtectionCard project={project} />
      <DataCacheCard project={project} />
      <TransferCard project={project} />
      <DeleteProject project={project} />
      <CompatibilityCards project={project} />
    </>
  )
}
