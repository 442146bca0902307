/** Which deployments a list shows. */
export const STATES = [
  { value: '', label: 'In any state' },
  { value: 'READY', label: 'Ready' },
  { value: 'INITIALIZING,ANALYZING,BUILDING,DEPLOYING', label: 'Building' },
  { value: 'ERROR', label: 'Failed' },
]
export const TARGETS = [
  { value: '', label: 'For everybody' },
  { value: 'production', label: 'Production' },
  { value: 'staging', label: 'Staging' },
]
