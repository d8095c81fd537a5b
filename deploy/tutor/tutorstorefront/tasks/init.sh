# The account by which the worker calls the LMS. Both commands change what exists already, so they may run again.
./manage.py lms manage_user --staff --unusable-password \
  '{{ STOREFRONT_SERVICE_USERNAME }}' '{{ STOREFRONT_SERVICE_EMAIL }}'
# Kept out of the job's log unless it fails: it prints the secret.
created=$(./manage.py lms create_dot_application --update --grant-type client-credentials \
  --client-id '{{ STOREFRONT_OAUTH2_KEY }}' --client-secret '{{ STOREFRONT_OAUTH2_SECRET }}' \
  storefront '{{ STOREFRONT_SERVICE_USERNAME }}' 2>&1) || { echo "$created" >&2; exit 1; }
# The LMS answers 403 to everything that a restricted application asks.
./manage.py lms shell -c "
from openedx.core.djangoapps.oauth_dispatch.models import RestrictedApplication
if RestrictedApplication.objects.filter(application__client_id='{{ STOREFRONT_OAUTH2_KEY }}').exists():
    raise SystemExit('storefront: the application {{ STOREFRONT_OAUTH2_KEY }} is restricted; '
                     'remove it in the Django admin under OAuth dispatch, Restricted applications')
print('storefront: the application {{ STOREFRONT_OAUTH2_KEY }} is ready and not restricted')
"
