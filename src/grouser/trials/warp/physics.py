"""Physics of many simulations in MuJoCo Warp, on a GPU or on Warp's CPU device.

`WarpPhysics` has the interface of `mujoco.batch.Batch` that `grouser.trials.scene_batch` uses. The
host keeps state and model fields of all simulations as such a batch does; belts, drives, gaits and
path drivers work on its arrays. `step` copies their values to the device, advances all simulations
there in one launch, and copies the result back.

Differences from MuJoCo: numbers on the device have 32 bits, the order of sums is not fixed on a GPU
(two runs differ in the last digits), and a height field and a geom have at most 4 contacts.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import mujoco
import mujoco.batch
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, missing_extra
from grouser.frames import Array
from grouser.simulation.divergence.watch import BAD_NUMBERS

MOVED = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "qacc_warmstart")
"""State that drives and belts change between steps; copied to the device before every launch."""
PLACED = ("xfrc_applied", "mocap_pos", "mocap_quat", "eq_active")
"""State that only the start of a simulation changes."""
COMMANDED = (
    "actuator_biasprm",
    "actuator_forcerange",
    "dof_frictionloss",
    "geom_friction",
    "geom_surfacevel",
)
"""Model fields that drives, belts and surfaces change between steps."""
POSES = ("body_pos", "body_quat", "geom_pos", "geom_quat")
"""Model fields that decide where static geoms are."""
STATIC = ("geom_xpos", "geom_xmat")
"""Poses of geoms; MuJoCo Warp computes those of static ones once, from one model for all."""
RESULTS = ("qpos", "qvel", "act", "qacc_warmstart", "sensordata", "actuator_force", "qacc")
"""Fields that are copied back after every launch."""

SPARE = 1.5
"""Ratio of the first buffers to what the start of the simulations needs."""
LARGEST = 1 << 14
"""Most contacts or constraint rows per simulation."""
TOO_LARGE = 1e10
"""As MuJoCo's ``mjMAXVAL``: a position or speed beyond it is a divergence."""


class Buffers(NamedTuple):
    """Sizes of the device's buffers, per simulation."""

    contacts: int
    rows: int
    """Constraint rows."""


class WarpPhysics:
    """Physics of ``nsim`` simulations of a model on a device of MuJoCo Warp."""

    def __init__(self, model: mujoco.MjModel, nsim: int, device: str) -> None:
        """Allocate the simulations on the host; the device's memory follows at the first step.

        Args:
            model: model of all simulations.
            nsim: number of simulations.
            device: name of the device, such as ``cpu`` or ``cuda:0``.

        Raises:
            MissingDependency: MuJoCo Warp is not installed.
            BadValue: there is no such device, or MuJoCo Warp does not support the model.
        """
        self._warp, self._engine = import_warp()
        self._device = find_device(device)
        self._host = mujoco.batch.Batch(model, nsim)
        self._model = model
        self.nsim = nsim
        self.state: Array = self._host.state
        """MuJoCo's state of every simulation, (n, ·), live."""
        self.warning: npt.NDArray[np.int32] = self._host.warning
        """MuJoCo's warnings of every simulation."""
        self._needs = {name: self._host.bind(name) for name in ("ncon", "nefc")}
        self._state = {name: self._host.bind(name) for name in (*MOVED, *PLACED)}
        self._results = {name: self._host.bind(name) for name in RESULTS}
        for array in self._results.values():
            array.flags.writeable = True
        self._time = self._host.bind("time")
        self._geoms: dict[str, npt.NDArray[Any]] = {}
        """Poses of geoms, if those of static ones differ between simulations."""
        self._fields: dict[str, npt.NDArray[Any]] = {}
        self._sent: dict[str, npt.NDArray[Any]] = {}
        self._buffers = Buffers(0, 0)
        self._placed = False
        self._on_device: tuple[Any, Any] | None = None
        self._graphs: dict[int, Any] = {}

    def bind(self, name: str) -> npt.NDArray[Any]:
        """Return a live array of a field of MuJoCo's data, (n, ...)."""
        return np.asarray(self._host.bind(name))

    def expand(self, name: str) -> npt.NDArray[Any]:
        """Return the live array of a model field with a value per simulation, (n, ...)."""
        if name not in self._fields:
            self._fields[name] = self._host.expand(name)
            if name in POSES and not self._geoms:
                self._geoms = {pose: self._host.bind(pose) for pose in STATIC}
            self._free()
        return self._fields[name]

    def forward(self, ids: npt.NDArray[np.int32]) -> None:
        """Compute derived quantities of the simulations ``ids``, which have a new state."""
        self._host.forward(ids)
        self._placed = False
        needed = Buffers(*(int(SPARE * array[ids].max()) for array in self._needs.values()))
        self._reserve(needed)

    def step(self, ids: npt.NDArray[np.int32] | None, nstep: int) -> None:
        """Advance the simulations ``ids`` (None: all) by ``nstep`` steps.

        Raises:
            BadValue: contacts or constraints exceed `LARGEST`, or a height field's limit.
        """
        which = slice(None) if ids is None else ids
        with self._warp.ScopedDevice(self._device):
            while True:
                self._send()
                self._launch(nstep)
                if self._fits(which):
                    break
            self._receive(which)
        self._time[which] += nstep * float(self._model.opt.timestep)
        self._report_divergence(np.arange(self.nsim, dtype=np.int32)[which])

    def _reserve(self, needed: Buffers) -> None:
        """Enlarge the device's buffers if they are smaller than ``needed``."""
        sizes = Buffers(*(_power_of_two(n) for n in needed))
        if any(size > has for size, has in zip(sizes, self._buffers, strict=True)):
            self._buffers = Buffers(*map(max, sizes, self._buffers))
            self._free()

    def _free(self) -> None:
        """Release the device's memory; the next step allocates it again."""
        self._on_device = None
        self._graphs.clear()
        self._sent.clear()
        self._placed = False

    def _allocated(self) -> tuple[Any, Any]:
        """Return model and data on the device."""
        if self._on_device is None:
            known = _batched_fields(self._engine)
            for name in self._fields:
                if known.get(name) is False:
                    raise BadValue(
                        f"MuJoCo Warp cannot vary {name} from trial to trial; use another runner"
                    )
            sizes = {name: self.nsim for name in self._fields if name in known}
            try:
                model = self._engine.put_model(warp_model(self._model), batch_sizes=sizes)
            except (NotImplementedError, ValueError) as error:
                raise BadValue(f"MuJoCo Warp does not support this world: {error}") from error
            model.opt.warn_overflow = 0  # overflows are read from the data, see `_fits`
            data = self._engine.make_data(
                self._model,
                nworld=self.nsim,
                nconmax=self._buffers.contacts,
                njmax=self._buffers.rows,
            )
            self._on_device = model, data
        return self._on_device

    def _send(self) -> None:
        """Copy state and changed model fields to the device."""
        model, data = self._allocated()
        for name in MOVED if self._placed else (*MOVED, *PLACED):
            if self._state[name].size:
                _assign(getattr(data, name), self._state[name])
        if not self._placed:
            for name, values in self._geoms.items():
                _assign(getattr(data, name), values)
        for name, values in self._fields.items():
            if self._placed and name not in COMMANDED:
                continue
            if (target := getattr(model, name, None)) is None:
                continue  # used by the host alone
            if name not in self._sent or not np.array_equal(self._sent[name], values):
                _assign(target, values)
                self._sent[name] = values.copy()
        self._placed = True

    def _launch(self, nstep: int) -> None:
        """Advance the device's simulations; a GPU replays a captured graph."""
        model, data = self._allocated()
        data.overflow.zero_()

        def advance() -> None:
            for _ in range(nstep):
                self._engine.step(model, data)

        if not self._warp.get_device().is_cuda:
            advance()
            return
        if nstep not in self._graphs:
            advance()  # compiles the kernels, which a capture cannot; then from the same state
            self._send()
            data.overflow.zero_()
            with self._warp.ScopedCapture() as capture:
                advance()
            self._graphs[nstep] = capture.graph
        self._warp.capture_launch(self._graphs[nstep])

    def _fits(self, which: slice | npt.NDArray[np.int32]) -> bool:
        """Return False if a buffer was too small; it is larger then, and the step is repeated."""
        data, kinds = self._allocated()[1], self._engine.OverflowType
        found = int(np.bitwise_or.reduce(data.overflow.numpy()[which], initial=0))
        if found & kinds.HFIELD:
            raise BadValue(
                "MuJoCo Warp: a geom has too many contacts with a height field; use terrain of "
                "boxes, a finer robot, or another runner"
            )
        small = kinds.NEFC | kinds.NJMAX_NNZ | kinds.BROADPHASE | kinds.NARROWPHASE | kinds.CCD
        if not found & small:
            return True
        if max(self._buffers) >= LARGEST:
            raise BadValue(
                f"MuJoCo Warp: a simulation has more than {LARGEST} contacts or constraint rows"
            )
        rows_only = not found & ~(kinds.NEFC | kinds.NJMAX_NNZ) & small
        self._reserve(
            Buffers(self._buffers.contacts * (1 if rows_only else 2), self._buffers.rows * 2)
        )
        return False

    def _receive(self, which: slice | npt.NDArray[np.int32]) -> None:
        """Copy the results of the simulations ``which`` to the host."""
        data = self._allocated()[1]
        for name, array in self._results.items():
            if array.size:
                array[which] = getattr(data, name).numpy()[which]

    def _report_divergence(self, ids: npt.NDArray[np.int32]) -> None:
        """Reset simulations with bad numbers and count a warning, as MuJoCo does."""
        numbers = np.concatenate([self._state[name][ids] for name in ("qpos", "qvel")], axis=1)
        bad = ids[~(np.abs(numbers) < TOO_LARGE).all(axis=1)]  # not finite counts as well
        if len(bad):
            self._host.reset(bad)
            self.warning[bad, BAD_NUMBERS.start] += 1


def warp_model(model: mujoco.MjModel) -> mujoco.MjModel:
    """Return a copy of ``model`` with the solver flags that MuJoCo Warp needs."""
    copied = copy.copy(model)
    copied.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)  # not supported
    # The flag selects box-box contacts with up to 8 points, as MuJoCo has them; the general
    # algorithm for convex shapes finds one point.
    copied.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    return copied


def import_warp() -> tuple[Any, Any]:
    """Return the modules ``warp`` and ``mujoco_warp``, without messages on the terminal.

    Raises:
        MissingDependency: they are not installed.
    """
    try:
        import warp

        warp.config.quiet = True  # before MuJoCo Warp is imported, which starts Warp
        import mujoco_warp
    except ImportError as error:
        raise missing_extra("the runner warp needs MuJoCo Warp", "gpu") from error
    return warp, mujoco_warp


def find_device(name: str) -> str:
    """Return the device ``name``; empty: the first GPU, or the CPU device without one.

    Raises:
        BadValue: there is no such device.
    """
    warp = import_warp()[0]
    devices = [device.alias for device in warp.get_devices()]
    if not name:
        return next((alias for alias in devices if alias.startswith("cuda")), "cpu")
    name = "cuda:0" if name == "cuda" else name
    if name not in devices:
        raise BadValue(f"device is '{name}', this machine has {', '.join(devices)}")
    return name


def _assign(target: Any, values: npt.NDArray[Any]) -> None:
    """Copy ``values`` to an array of the device, whatever its element type."""
    shape = (*target.shape, *getattr(target.dtype, "_shape_", ()))
    target.assign(np.ascontiguousarray(values.reshape(shape), target.numpy().dtype))


def _batched_fields(engine: Any) -> Mapping[str, bool]:
    """Return the array fields of MuJoCo Warp's model, and whether simulations can differ."""
    found: dict[str, bool] = {}
    for name, kind in engine.Model.__annotations__.items():
        shape = getattr(kind, "shape", None)
        if isinstance(shape, tuple) and shape:
            found[name] = shape[0] == "*"
    return found


def _power_of_two(number: int) -> int:
    """Return a power of two of at least ``number`` and 32, at most `LARGEST`."""
    return min(LARGEST, 1 << max(5, (number - 1).bit_length()))


PhysicsFactory = Callable[[mujoco.MjModel, int], WarpPhysics]
"""Makes the physics of a number of simulations of a model."""
