import { getDeployment, listFiles } from '#contract/api/deployment.ts'
import { useRead } from '../api/query.ts'
import { compareFiles, compareSettings, type TreeEntry } from './compare.ts'

/** What is different between two deployments. */
export function useComparison(from: string, to: string) {
  const before = useRead('deployment', getDeployment, { params: { id: from } })
  const after = useRead('deployment', getDeployment, { params: { id: to } })
  const filesBefore = useRead('deployment', listFiles, { params: { id: from } })
  const filesAfter = useRead('deployment', listFiles, { params: { id: to } })
  return {
    before,
    after,
    files: compareFiles(filesBefore as readonly TreeEntry[], filesAfter as readonly TreeEntry[]),
    settings: compareSettings(before, after),
  }
}
