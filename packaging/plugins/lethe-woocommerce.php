<?php
/**
 * Plugin Name: Lethe for WooCommerce
 * Description: Tells Lethe of orders, log-ins and log-outs from the shop's server, which the plugin for zones does not.
 *
 * Copy it to wp-content/mu-plugins. It needs three settings, as constants in wp-config.php or in the environment of PHP;
 * the secret never reaches a page:
 *
 *     define( 'LETHE_URL', 'https://lethe.example' );
 *     define( 'LETHE_ACCESS_KEY', 'LA…' );
 *     define( 'LETHE_SECRET_KEY', 'ls_…' );
 */

defined( 'ABSPATH' ) || exit;

// Digital goods are complete at once. An order counts once, however often it is told.
add_action( 'woocommerce_order_status_processing', 'lethe_tell_order' );
add_action( 'woocommerce_order_status_completed', 'lethe_tell_order' );
// One that is cancelled or paid back as a whole does not count any more.
add_action( 'woocommerce_order_status_cancelled', 'lethe_tell_order' );
add_action( 'woocommerce_order_status_refunded', 'lethe_tell_order' );
add_action( 'lethe_tell_order_again', 'lethe_tell_order_again', 10, 2 );
add_action( 'wp_login', 'lethe_tell_log_in', 10, 2 );
add_action( 'wp_logout', 'lethe_tell_log_out' );

const LETHE_TRIES = 6;

function lethe_setting( $name ) {
	return defined( $name ) ? constant( $name ) : (string) getenv( $name );
}

/** Posts to Lethe; says whether it was taken. The log has the sentence of a refusal, which names no value. */
function lethe_post( $path, $body ) {
	if ( '' === lethe_setting( 'LETHE_URL' ) || '' === lethe_setting( 'LETHE_SECRET_KEY' ) ) {
		error_log( 'Lethe: LETHE_URL, LETHE_ACCESS_KEY and LETHE_SECRET_KEY are not all set' );
		return false;
	}
	$answer = wp_remote_post(
		rtrim( lethe_setting( 'LETHE_URL' ), '/' ) . $path,
		array(
			'timeout' => 3,
			'headers' => array( 'Content-Type' => 'application/json' ),
			'body'    => wp_json_encode( $body ),
		)
	);
	$is_taken = 200 === wp_remote_retrieve_response_code( $answer );
	$said     = is_wp_error( $answer ) ? $answer->get_error_message() : wp_remote_retrieve_body( $answer );
	if ( ! $is_taken || false !== strpos( $said, '"LeftOut"' ) || false !== strpos( $said, '"errors"' ) ) {
		error_log( "Lethe: $path: " . substr( $said, 0, 500 ) );
	}
	return $is_taken;
}

function lethe_tell_order( $order_id ) {
	lethe_tell_order_again( $order_id, 1 );
}

/** Tells an order; when it was not taken, again after 1, 2, 4 … minutes. */
function lethe_tell_order_again( $order_id, $try ) {
	$order = wc_get_order( $order_id );
	$event = $order ? lethe_event_of_order( $order ) : null;
	if ( ! $event ) {
		return;
	}
	$keys = array( 'AppKey' => lethe_setting( 'LETHE_ACCESS_KEY' ), 'SecretKey' => lethe_setting( 'LETHE_SECRET_KEY' ) );
	if ( ! lethe_post( '/api/events', $keys + array( 'Events' => array( $event ) ) ) && $try < LETHE_TRIES ) {
		wp_schedule_single_event( time() + 60 * 2 ** ( $try - 1 ), 'lethe_tell_order_again', array( $order_id, $try + 1 ) );
	}
}

/** An order by its number, its lines, and the customer's number, or of a guest their address. */
function lethe_event_of_order( $order ) {
	$event = array( 'Name' => 'order', 'Order' => (string) $order->get_order_number() );
	if ( $order->has_status( array( 'cancelled', 'refunded' ) ) ) {
		return $event + array( 'Cancelled' => true );
	}
	$has_shop_prices = get_option( 'woocommerce_currency' ) === $order->get_currency();
	$items           = array();
	foreach ( $order->get_items() as $item ) {
		$line = array(
			'Product'  => (string) ( $item->get_variation_id() ?: $item->get_product_id() ),
			'Quantity' => max( 1, (int) $item->get_quantity() ),
		);
		// Lethe counts in the shop's currency.
		if ( $has_shop_prices ) {
			$line['UnitPrice'] = round( (float) $order->get_item_total( $item, true ), 2 );
		}
		$items[] = $line;
	}
	$user = (int) $order->get_user_id();
	$who  = $user ? array( 'UserId' => (string) $user ) : array_filter( array( 'Email' => $order->get_billing_email() ) );
	if ( ! $items || ! $who ) {
		return null;
	}
	$event += $who + array( 'Items' => $items );
	$made   = $order->get_date_created();
	return $made ? $event + array( 'At' => 1000 * $made->getTimestamp() ) : $event;
}

/** Says whose browser it is, by the number that the pages' script keeps with consent; without one nothing is told. */
function lethe_tell_of_browser( $name, $data ) {
	$visitor = (string) ( $_COOKIE[ 'pc_v_' . lethe_setting( 'LETHE_ACCESS_KEY' ) ] ?? '' );
	if ( '' === $visitor ) {
		return;
	}
	lethe_post(
		'/api/serverside',
		array(
			'appId'     => lethe_setting( 'LETHE_ACCESS_KEY' ),
			'secretKey' => lethe_setting( 'LETHE_SECRET_KEY' ),
			'visitorId' => wp_unslash( $visitor ),
			'events'    => array( array( 'name' => $name, 'data' => $data ) ),
		)
	);
}

function lethe_tell_log_in( $login, $user ) {
	lethe_tell_of_browser( 'customer_details', array( 'userid' => (string) $user->ID ) );
}

/** The next one at this browser is somebody else, with another number. */
function lethe_tell_log_out() {
	lethe_tell_of_browser( 'customer_logout', new stdClass() );
	foreach ( array( 'pc_v_', 'pc_sessid_' ) as $cookie ) {
		setcookie( $cookie . lethe_setting( 'LETHE_ACCESS_KEY' ), '', 1, '/' );
	}
}
