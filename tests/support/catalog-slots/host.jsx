// Stands for the catalog micro-frontend, whose package no registry has: pages with its slots, their ids, properties and default
// contents (its release Verawood), filled by the env.config that the Tutor plugin renders. The slot library, the platform library and
// the components are the real ones. Query: `lang`; `paid` for a course without a free mode.
import React, { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Button, Card, Container, Icon, Stack } from '@openedx/paragon';
import { MoneyFilled } from '@openedx/paragon/icons';
import { PluginSlot } from '@openedx/frontend-plugin-framework';
import { mergeConfig } from '@edx/frontend-platform';
import { IntlProvider } from '@edx/frontend-platform/i18n';
import '@openedx/paragon/dist/core.min.css';
import '@openedx/paragon/dist/light.min.css';
import envConfig from 'env.config';

const query = new URLSearchParams(window.location.search);
const CATALOG = 'org.openedx.frontend.catalog.';

function Slot({ id, children, ...pluginProps }) {
  return <PluginSlot id={CATALOG + id} slotOptions={{ mergeProps: true }} pluginProps={pluginProps}>{children}</PluginSlot>;
}

function EnrollmentButton({ onEnroll }) {
  return <Button onClick={onEnroll}>Enroll now</Button>;
}

function SidebarDetailsItem({ icon, label, value }) {
  return (
    <Stack className="justify-content-between flex-wrap p-3" gap={2} direction="horizontal">
      <Stack direction="horizontal" gap={2}><Icon src={icon} /><span>{label}</span></Stack>
      <span className="font-weight-bolder">{value}</span>
    </Stack>
  );
}

function CourseAbout({ name }) {
  const [enrolled, setEnrolled] = useState(false);
  const props = {
    singlePaidMode: query.has('paid') ? { slug: 'verified' } : {},
    ecommerceCheckout: query.has('paid'),
    isEnrollmentPending: false,
    onEnroll: () => setEnrolled(true),
    onEcommerceCheckout: () => {},
  };
  return (
    <Container size="xl" className="py-4">
      <div className="row">
        <div className="col-lg-8 mb-4">
          <Card>
            <Card.Header title={<h1 className="my-0">{name}</h1>} subtitle="Northwind" />
            <Card.Section>Plan an analysis, carry it out, and say what it shows.</Card.Section>
            <Card.Footer className="justify-content-start">
              {enrolled ? <p role="status">You are enrolled</p> : (
                <Slot id="course_about_page.enrollment_button" {...props}><EnrollmentButton {...props} /></Slot>
              )}
            </Card.Footer>
          </Card>
        </div>
        <aside className="col-lg-4">
          <Card>
            <Slot id="course_about_page.sidebar.details.course_price" coursePrice="Free">
              <SidebarDetailsItem icon={MoneyFilled} label="Price" value="Free" />
            </Slot>
          </Card>
        </aside>
      </div>
    </Container>
  );
}

function CourseCard({ courseId, courseName }) {
  return (
    <Card as="a" href={`/catalog/courses/${courseId}/about`} className="course-card" isClickable>
      <Card.Section><h3 className="m-0">{courseName}</h3></Card.Section>
    </Card>
  );
}

function Cards({ slot, title }) {
  return (
    <Container size="xl" className="py-4">
      <h1>{title}</h1>
      <div className="row">
        {query.getAll('course').map((courseId) => {
          const props = { isLoading: false, courseId, courseName: courseId, courseOrg: 'Northwind' };
          return <div key={courseId} className="col-12 col-md-4 mb-4"><Slot id={slot} {...props}><CourseCard {...props} /></Slot></div>;
        })}
      </div>
    </Container>
  );
}

function Page() {
  const { pathname } = window.location;
  if (pathname.endsWith('/about')) { return <CourseAbout name="Statistics for decisions" />; }
  return pathname.endsWith('/courses')
    ? <Cards slot="course_catalog_page.data_table.course_card" title="Courses" />
    : <Cards slot="home_page.course_card" title="Home" />;
}

async function start() {
  const language = query.get('lang') ?? 'en';
  document.documentElement.lang = language;
  document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr';
  document.title = 'Catalog';
  // What the LMS's configuration for micro-frontends says.
  mergeConfig({ ...await envConfig(), ...window.MFE_CONFIG });
  createRoot(document.getElementById('root')).render(
    <IntlProvider locale={language} onError={() => {}}><main><Page /></main></IntlProvider>,
  );
}

start();
