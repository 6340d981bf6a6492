"""Serves the saboteur that the variable SABOTAGE names; the right one without it."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import os

import sabotages

sdk.serve(sabotages.named(os.environ.get("SABOTAGE", ""))())
