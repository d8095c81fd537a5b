// What the storefront adds to the slots of Open edX's catalog. Each part wraps what the catalog shows by itself, which stays alone
// where the storefront sells nothing or does not answer.
import React, { cloneElement, isValidElement } from 'react';
import { buyUrl, useOffer } from './offers';
import { Price, Words } from './words';

/** The course of a page `…/courses/KEY/about`. */
function courseOfPage() {
  const [, key] = /\/courses\/([^/]+)\/about/.exec(window.location.pathname) ?? [];
  try {
    return key && decodeURIComponent(key);
  } catch {
    return undefined;
  }
}

/** The mode that a course is sold in: the cheapest with a certificate, else the cheapest. */
const soldMode = (offer) => offer?.modes.find((mode) => mode.has_certificate) ?? offer?.modes[0];

/** True of a course that the platform lets nobody join for nothing. */
const isPaidOnly = (singlePaidMode) => Object.keys(singlePaidMode ?? {}).length > 0;

/** *Buy the certificate* beside *Enroll*; in its place where the course has no free mode. */
export function EnrollmentButton({ component, pluginProps }) {
  const key = courseOfPage();
  const offer = useOffer(key);
  const mode = soldMode(offer);
  if (!mode || offer.availability === 'closed') { return component; }
  const isOnly = isPaidOnly(pluginProps?.singlePaidMode);
  const url = buyUrl('course', key, mode.mode_slug);
  return (
    <div className="d-flex flex-wrap align-items-center" style={{ gap: '.75rem' }}>
      {!isOnly && component}
      {offer.availability === 'sold_out' ? (
        <span role="status" className="font-weight-bold"><Words id={isOnly ? 'sold-out' : 'certificate-sold-out'} /></span>
      ) : (
        <>
          <a className={`btn btn-${isOnly ? 'primary' : 'outline-primary'}`} href={url}>
            <Words id={isOnly || !mode.has_certificate ? 'buy-course' : 'buy-certificate'} />
          </a>
          <Price of={mode} />
        </>
      )}
    </div>
  );
}

/** Programs with the course, each with its price and the way to buy it. */
function Programs({ programs }) {
  return programs.map((program) => (
    <span key={program.id} className="d-block small mt-1">
      <a href={buyUrl('program', program.id, program.mode_slug)}><Words id="program" name={program.name} /></a>
      {' '}<Price of={program} />
    </span>
  ));
}

/** The price in the sidebar, and the programs with the course. */
export function SidebarPrice({ component }) {
  const offer = useOffer(courseOfPage());
  const mode = soldMode(offer);
  if (!mode || offer.availability === 'closed') { return component; }
  const value = (
    <span className="d-block" style={{ textAlign: 'start' }}>
      {offer.availability === 'sold_out' ? <Words id="sold-out" /> : <Price of={mode} />}
      <Programs programs={offer.programs} />
    </span>
  );
  // The catalog's own row has an icon and a label in the page's language, and takes the price as `value`.
  const isRow = isValidElement(component) && 'value' in component.props;
  return isRow ? cloneElement(component, { value }) : <>{component}<div className="px-3 pb-3">{value}</div></>;
}

/** A card of a list with its price below. */
export function CourseCard({ component, pluginProps }) {
  const offer = useOffer(pluginProps?.courseId);
  const mode = soldMode(offer);
  return (
    <div className="d-flex flex-column h-100">
      {component}
      {mode && offer.availability !== 'closed' && (
        <p className="storefront-card-price small mt-1 mb-0">
          {offer.availability === 'sold_out' ? <Words id="sold-out" /> : <Price of={mode} />}
        </p>
      )}
    </div>
  );
}
