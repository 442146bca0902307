import { listUnknownEndpoints } from '#contract/api/operator.ts'
import { useRead } from '../api/query.ts'
import { Card } from '../ui/layout/card.tsx'
import { Table } from '../ui/layout/table.tsx'
import { formatNumber } from '../ui/text/format.ts'
import { Time } from '../ui/text/time.tsx'

/** What clients ask for in vain: the operator sees why somebody's tool does not work. */
export function UnknownEndpoints() {
  const { endpoints } = useRead('operator', listUnknownEndpoints)
  if (endpoints.length === 0) return null
  return (
    <Card title="Unknown endpoints" flush>
      <Table
        label="Unknown endpoints"
        rows={endpoints}
        rowKey={({ endpoint }) => endpoint}
        columns={[
          { title: 'Endpoint', cell: ({ endpoint }) => <code className="break-all">{endpoint}</code> },
          { title: 'Requests', align: 'right', cell: ({ count }) => formatNumber(count) },
          { title: 'Last request', wide: true, cell: ({ lastAt }) => <Time at={lastAt} /> },
        ]}
      />
    </Card>
  )
}
