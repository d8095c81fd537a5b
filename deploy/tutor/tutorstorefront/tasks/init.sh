# The account by which the worker calls the LMS. Both commands change what exists already, so they may run again.
./manage.py lms manage_user --staff --unusable-password \
  '{{ STOREFRONT_SERVICE_USERNAME }}' '{{ STOREFRONT_SERVICE_EMAIL }}'
# Tutor passes this text to a shell, where other users of the machine can read it, so it holds the application's secret masked
# with the LMS's own secret key. Kept out of the job's log unless it fails: the command prints the secret.
created=$(./manage.py lms shell -c "
import base64, hashlib
from django.conf import settings
from django.core.management import call_command
masked = base64.b64decode('{{ STOREFRONT_OAUTH2_SECRET|storefront_mask(OPENEDX_SECRET_KEY) }}')
nonce, masked = masked[:16], masked[16:]
stream = hashlib.shake_256(nonce + settings.SECRET_KEY.encode()).digest(len(masked))
call_command(
    'create_dot_application', 'storefront', '{{ STOREFRONT_SERVICE_USERNAME }}', update=True,
    grant_type='client-credentials', client_id='{{ STOREFRONT_OAUTH2_KEY }}',
    client_secret=bytes(one ^ other for one, other in zip(masked, stream)).decode(),
)
" 2>&1) || { echo "$created" >&2; exit 1; }
# The LMS answers 403 to everything that a restricted application asks.
./manage.py lms shell -c "
from openedx.core.djangoapps.oauth_dispatch.models import RestrictedApplication
if RestrictedApplication.objects.filter(application__client_id='{{ STOREFRONT_OAUTH2_KEY }}').exists():
    raise SystemExit('storefront: the application {{ STOREFRONT_OAUTH2_KEY }} is restricted; '
                     'remove it in the Django admin under OAuth dispatch, Restricted applications')
print('storefront: the application {{ STOREFRONT_OAUTH2_KEY }} is ready and not restricted')
"
{% if STOREFRONT_UPGRADE_BUTTONS %}
# The page of the upgrade buttons. Through the model: the LMS caches what a change by SQL would not reach. An absolute address, because a
# path would be joined to ECOMMERCE_PUBLIC_URL_ROOT without the path of that.
./manage.py lms shell -c "
from lms.djangoapps.commerce.models import CommerceConfiguration
page = '{{ STOREFRONT_PUBLIC_BASE_URL }}/storeapi/payment/buy/'
current = CommerceConfiguration.current()
if current.checkout_on_ecommerce_service and current.basket_checkout_page == page:
    print('storefront: the upgrade buttons lead to ' + page + ' already')
else:
    current.enabled = True
    current.checkout_on_ecommerce_service = True
    current.basket_checkout_page = page
    current.save()
    print('storefront: the upgrade buttons lead to ' + page)
"
{% endif %}
