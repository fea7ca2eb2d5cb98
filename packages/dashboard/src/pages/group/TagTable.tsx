/** The tags of a report. A click on one lists the groups that have it. */
import { useState } from "preact/hooks"
import { Link } from "../../parts/Link.js"
import { Text } from "../../parts/Text.js"
import { counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { tagPath } from "./paths.js"

export const TagTable = ({
  projectId,
  tags,
}: {
  readonly projectId: number
  readonly tags: ReadonlyArray<{ readonly key: string; readonly value: string }>
}) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? tags : tags.slice(0, 100)
  return (
    <>
      <table class="pairs">
        <tbody>
          {shown.map(({ key, value }, i) => (
            <tr key={i}>
              <th scope="row">
                <Text value={key} max={200} />
              </th>
              <td>
                <Link to={tagPath(projectId, key, value)}>{line(cut(value, 500))}</Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < tags.length && (
        <button type="button" class="link more" onClick={() => setWhole(true)}>
          {counted(tags.length - shown.length, "more tag")}
        </button>
      )}
    </>
  )
}
