<?php
// As much of WooCommerce as an order needs: `?buy=NUMBER` in the address of a page is a checkout of who is logged in,
// or with `&as=USER` of another.

class Stub_Order {
	public function __construct( private int $number, private int $user ) {}
	public function get_items() {
		return array( new Stub_Item() );
	}
	public function get_item_total( $item, $with_tax ) {
		return $with_tax ? 12.5 : 10.42;
	}
	public function get_currency() {
		return 'GBP';
	}
	public function get_user_id() {
		return $this->user;
	}
	public function get_billing_email() {
		return 'guest@shop.test';
	}
	public function has_status( $statuses ) {
		return in_array( get_option( "status_of_$this->number", 'processing' ), $statuses, true );
	}
	public function get_order_number() {
		return (string) $this->number;
	}
	public function get_date_created() {
		return new DateTime();
	}
}

class Stub_Item {
	public function get_variation_id() {
		return 0;
	}
	public function get_product_id() {
		return getenv( 'LETHE_TEST_PRODUCT' );
	}
	public function get_quantity() {
		return 2;
	}
}

function wc_get_order( $number ) {
	return new Stub_Order( (int) $number, (int) get_option( "buyer_of_$number" ) );
}

add_filter( 'pre_option_woocommerce_currency', fn () => 'GBP' );
add_action(
	'wp_loaded',
	function () {
		$number = (int) ( $_GET['buy'] ?? 0 );
		if ( $number ) {
			update_option( "buyer_of_$number", (int) ( $_GET['as'] ?? get_current_user_id() ) );
			do_action( 'woocommerce_order_status_processing', $number );
		}
	}
);
