/**
 * Numbers that the advice stands on. All of them are engineering knowledge, none is measured here: they say in which
 * order of size a saving is, not what the bill will be.
 */
export const RULES = {
  /**
   * Share of the cooling energy saved for each kelvin that a set-point is raised, %. About 6 % by the Bureau of Energy
   * Efficiency of India (its advice on air conditioners, 2018); simulations of offices with variable air volume find up
   * to 10 % (Hoyt, Arens, Zhang 2015, Building and Environment 88).
   */
  cooling_pct_per_k: 6,
  /** Share of the heating energy saved for each kelvin less, %. About 6 % by the German Umweltbundesamt. */
  heating_pct_per_k: 6,
  /** Not cooler than this in summer, °C, nor warmer in winter: public buildings in China, 国办发〔2007〕42号. */
  cooling_limit_c: 26,
  heating_limit_c: 20,
  /** One advice moves a set-point by this at most, K: people notice more, and the next advice may go on. */
  step_k: 2,
  /** Air that comes in within this of the zone's temperature neither cools nor heats, K. */
  neutral_k: 1,
  /** A zone that is further off its set-point has a fault, or no capacity: that comes first, K. */
  holding_k: 1.5,
} as const;
