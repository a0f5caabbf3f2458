import type { PageAttachment } from '../../page-state.ts';
import { Mrkdwn } from '../text/mrkdwn.tsx';
import { webAddress } from '../text/web-address.ts';
import { Blocks } from './blocks.tsx';

/** Secondary attachments, each behind a bar in its colour. */
export function Attachments({ attachments }: { attachments: readonly PageAttachment[] }) {
  return attachments.map((attachment, place) => (
    <OneAttachment key={place} attachment={attachment} />
  ));
}

function OneAttachment({ attachment }: { attachment: PageAttachment }) {
  const { color, pretext, author, text, fields, blocks, footer } = attachment;
  return (
    <>
      {pretext && <Mrkdwn text={pretext} />}
      <div class="attachment" style={color && { borderLeftColor: color }}>
        {author && <small>{author}</small>}
        <Title of={attachment} />
        {text && <Mrkdwn text={text} />}
        {fields.length > 0 && (
          <dl class="fields">
            {fields.map(({ title, value }, place) => (
              <div key={place}>
                <dt>{title}</dt>
                <dd>
                  <Mrkdwn text={value} />
                </dd>
              </div>
            ))}
          </dl>
        )}
        <Blocks blocks={blocks} />
        {footer && <small>{footer}</small>}
      </div>
    </>
  );
}

function Title({ of: { title, titleLink } }: { of: PageAttachment }) {
  if (title === '') return null;
  const address = webAddress(titleLink);
  if (!address) return <strong>{title}</strong>;
  return (
    <a href={address.href} target="_blank" rel="noopener noreferrer">
      {title}
    </a>
  );
}
