/**
 * Limits and thresholds of the HVAC agent: every number that a rule or a method compares with, its unit in the name
 * and its source beside it. G36 is ASHRAE Guideline 36-2021; °F of a source are given in K as Guideline 36 rounds them.
 */

/** What `set_setpoint` allows. */
export const SETPOINT = {
  /** Range of the boxes' and split units' registers. */
  minC: 16,
  maxC: 30,
  /** What a room controller's register and a person's comfort resolve. */
  stepC: 0.5,
  /** A longer way is taken in two commands: a slip of a digit, 16 for 26, is caught by it. */
  maxStepK: 8,
  /** Changes of one zone within `windowMs`; each wakes dampers and valves, which last for so many strokes. */
  maxChanges: 6,
  windowMs: 600_000,
} as const;

/** How `diagnose` looks. A rule has to hold in every look. */
export const LOOKS = {
  count: 4,
  /** 4 looks 500 ms apart: 1.5 s, enough to tell a standing state from one wrong read, not from a slow transient. */
  intervalMs: 500,
  /** A device is not asked with less time left: a silent one costs a time-out and a second try, 1 s each. */
  reserveMs: 2_500,
  /** No further try of a silent device begins that would end later than so after its first: others want their turn. */
  deviceMs: 3_500,
} as const;

/** G36 5.16.14, the internal variables' defaults (open-fdd, pandas-cookbook, "GL36 default"). */
export const G36 = {
  /** εSAT, εRAT: 2 °F. */
  supplyErrorK: 1,
  returnErrorK: 1,
  /** εOAT of a local sensor: 2 °F. */
  outdoorErrorK: 1,
  /** εMAT: 5 °F, an averaging sensor. */
  mixedErrorK: 3,
  /** εDSP: 0.1 in. w.c. */
  staticErrorPa: 25,
  /** 99 % less εVFD, 5 %. */
  fanFullPercent: 94,
  /** A coil valve that is all open. */
  valveFullPercent: 99,
  /** 5.6.6.1: low airflow of a terminal unit, share of the set-point, alarm level 3 and level 2. */
  lowFlowShare: 0.7,
  veryLowFlowShare: 0.5,
  /** 5.1.20: temperature alarms rest after a change of the set-point, 18 min a kelvin of the way, at most 2 h. */
  settleMsPerK: 1_080_000,
  settleMaxMs: 7_200_000,
} as const;

/** Normal ranges of coils, filters and split units: the field guide of domain facts §1.6. */
export const RANGES = {
  /** Pressure drop at which a filter is changed: 200–250 Pa. */
  filterPa: 250,
  /** Air temperature drop over an evaporator, normal 8–12 K: below 6 K low charge, compressor or coil. */
  evaporatorMinK: 6,
  /** Room above (below) the set-point by so much: a controller that cools (heats) calls for its compressor. */
  callK: 1,
  /** In AUTO a split unit changes over to heating only so much further down: makers' dead band of 2 to 3 K. */
  changeoverK: 2,
  /** A compressor stands for so long at least after it stopped: 3–5 min. */
  compressorRestMs: 300_000,
  /** Supply air of a handler that cools: more than 3 K above its set-point (for 10 min) is an alarm. */
  supplyDeviationK: 3,
  /**
   * Supply air that comes back with the 2 min of a usual coil moves by a step of its register, 0.1 K, within the
   * 1.5 s of the looks from this far away on: only from here on standing still is a sign.
   */
  supplyPlainK: 9,
  /** open-fdd AHU-SIMUL: heating and cooling valve both open by more than this. */
  bothValvesPercent: 10,
  /** Air temperatures that move by so much within the looks, one step of the registers, are under way. */
  airMovesK: 0.05,
  /** A fan whose speed rises by so much within the looks is starting, or answering boxes that open. */
  speedMovesPercent: 0.5,
  /** Share of its set-point by which an airflow rises within the looks when it is under way. */
  flowRises: 0.005,
  /** Zone away from its set-point: G36 5.3.6, alarm level 3 (after 10 min). */
  zoneErrorK: 2,
  /** Damper away from its command. */
  damperErrorPercent: 10,
  /** A damper that moves towards its command by so much within the looks is under way, not stuck. */
  damperMovesPercent: 0.5,
} as const;

/**
 * How sure a finding is, 0–1. Set by judgement, and lower than a long history would allow: Guideline 36 waits 5 to
 * 30 minutes where the looks last 1.5 s.
 */
export const CONFIDENCE = {
  /** Two points that do not depend on each other say the same. */
  proven: 0.95,
  /** One point says it of itself. */
  said: 0.85,
  /** A state that has other explanations, or that a transient passes through. */
  likely: 0.7,
  transient: 0.6,
} as const;

/** SV-RANGE of open-fdd (rule_defaults.yaml), °F as °C: outside of it a sensor is broken, not the weather. */
const AIR_OUTDOOR = [-51, 54] as const;
const AIR_SUPPLY = [-1, 66] as const;
const AIR_ROOM = [4, 38] as const;
const PERCENT = [0, 100] as const;

/** Plausible values by point: temperatures in °C, shares in %, pressures in Pa (0 to what such a fan can make). */
export const PLAUSIBLE: Readonly<Record<string, readonly [low: number, high: number]>> = {
  outdoor_air_temperature: AIR_OUTDOOR,
  mixed_air_temperature: AIR_OUTDOOR,
  supply_air_temperature: AIR_SUPPLY,
  discharge_air_temperature: AIR_SUPPLY,
  return_air_temperature: AIR_ROOM,
  zone_temperature: AIR_ROOM,
  room_temperature: AIR_ROOM,
  fan_speed: PERCENT,
  cooling_valve: PERCENT,
  heating_valve: PERCENT,
  outdoor_damper: PERCENT,
  damper_position: PERCENT,
  damper_command: PERCENT,
  reheat_valve: PERCENT,
  duct_static_pressure: [0, 2_500],
  filter_pressure: [0, 2_500],
};
