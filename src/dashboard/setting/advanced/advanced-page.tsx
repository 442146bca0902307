import { useProject } from '../../project/project.ts'
import { DeleteCard } from '../general/delete-card.tsx'
import { PauseCard } from '../general/pause-card.tsx'
import { TransferCard } from '../general/transfer-card.tsx'
import { useTitle } from '../use-title.ts'
import { CompatibilityCards } from './compatibility-cards.tsx'
import { DataCacheCard } from './data-cache-card.tsx'
import { ReleaseConfigCard } from './release-config-card.tsx'
import { SkewProtectionCard } from './skew-protection-card.tsx'

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
      <DeleteCard project={project} />
      <CompatibilityCards project={project} />
    </>
  )
}
