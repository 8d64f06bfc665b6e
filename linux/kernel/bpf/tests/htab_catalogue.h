/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash maps that public projects define: what the suite bpf_htab_measure_real
 * makes, fills and weighs.
 *
 * Facts read from the sources named in each row: type, sizes in bytes on
 * 64-bit, the flags of the definition or of the loader, and the number of
 * entries. Maps that a project makes several times are here once.
 */
#ifndef __BPF_HTAB_CATALOGUE_H
#define __BPF_HTAB_CATALOGUE_H

#include <linux/bpf.h>

/* Whose number max_entries is: what the project sets unless told otherwise, or
 * one of ours, where the project knows it only at run time
 */
enum htab_entries_from {
	HTAB_DEFAULT,
	HTAB_ASSUMED,
};

/**
 * struct htab_catalogue_map - a hash map as some project defines it
 * @project: whose map it is
 * @name: the map, as the project calls it
 * @type: BPF_MAP_TYPE_*
 * @key_size: bytes of a key
 * @value_size: bytes of a value
 * @flags: map_flags
 * @max_entries: elements that the map may hold
 * @from: who says @max_entries
 * @source: repository, files and commit where this can be read
 */
struct htab_catalogue_map {
	const char *project;
	const char *name;
	enum bpf_map_type type;
	u32 key_size;
	u32 value_size;
	u32 flags;
	u32 max_entries;
	enum htab_entries_from from;
	const char *source;
};

static const struct htab_catalogue_map htab_catalogue[] = {
	{
		"Cilium", "cilium_ct4_global",
		BPF_MAP_TYPE_LRU_HASH, 14, 56, 0, 524288, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/conntrack_map.h, bpf/lib/conntrack_types.h@c70e50266795, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_snat_v4_external",
		BPF_MAP_TYPE_LRU_HASH, 14, 40, 0, 524288, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/nat.h@c70e50266795, bpf/lib/nat_types.h@c70e50266795, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_snat_v6_external",
		BPF_MAP_TYPE_LRU_HASH, 38, 56, 0, 524288, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/nat.h, bpf/lib/nat_types.h@c70e50266795, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_lb4_services_v2",
		BPF_MAP_TYPE_HASH, 12, 12, BPF_F_NO_PREALLOC, 65536, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/lb.h@225c6ccf5993, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_lb4_backends_v3",
		BPF_MAP_TYPE_HASH, 4, 12, BPF_F_NO_PREALLOC, 65536, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/lb.h@225c6ccf5993, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_lb4_reverse_nat",
		BPF_MAP_TYPE_HASH, 2, 6, BPF_F_NO_PREALLOC, 65536, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/lb.h@225c6ccf5993, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_lb4_affinity",
		BPF_MAP_TYPE_LRU_HASH, 16, 16, 0, 65536, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/lb.h@225c6ccf5993, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_lb4_maglev",
		BPF_MAP_TYPE_HASH_OF_MAPS, 2, 4, BPF_F_NO_PREALLOC, 65536, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/lb.h@225c6ccf5993, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_lxc",
		BPF_MAP_TYPE_HASH, 20, 48, BPF_F_NO_PREALLOC, 65535, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/eps.h, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_metrics",
		BPF_MAP_TYPE_PERCPU_HASH, 8, 16, BPF_F_NO_PREALLOC, 1024, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/metrics.h, pkg/maps/metricsmap/metricsmap.go@0457444e30a7, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_policystats",
		BPF_MAP_TYPE_LRU_PERCPU_HASH, 12, 16, BPF_F_NO_COMMON_LRU, 1024, HTAB_ASSUMED,
		"cilium/cilium bpf/lib/policy.h, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_auth_map",
		BPF_MAP_TYPE_HASH, 12, 8, BPF_F_NO_PREALLOC, 524288, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/auth.h, pkg/option/config.go, bpf/lib/common.h"
	},
	{
		"Cilium", "cilium_ipv4_frag_datagrams",
		BPF_MAP_TYPE_LRU_HASH, 12, 4, 0, 8192, HTAB_DEFAULT,
		"cilium/cilium bpf/lib/ipv4.h"
	},
	{
		"Katran", "vip_map",
		BPF_MAP_TYPE_HASH, 20, 8, 0, 512, HTAB_DEFAULT,
		"facebookincubator/katran katran/lib/bpf/balancer_maps.h, balancer_structs.h@19f08fec82fb"
	},
	{
		"Katran", "fallback_cache",
		BPF_MAP_TYPE_LRU_HASH, 40, 16, 0, 1000, HTAB_DEFAULT,
		"facebookincubator/katran katran/lib/bpf/balancer_maps.h, balancer_structs.h@19f08fec82fb"
	},
	{
		"Katran", "vip_to_down_reals_map",
		BPF_MAP_TYPE_HASH_OF_MAPS, 20, 4, BPF_F_NO_PREALLOC, 512, HTAB_DEFAULT,
		"facebookincubator/katran katran/lib/bpf/balancer_maps.h, balancer_structs.h@19f08fec82fb"
	},
	{
		"Calico", "cali_v4_ct",
		BPF_MAP_TYPE_LRU_HASH, 16, 88, 0, 512000, HTAB_DEFAULT,
		"projectcalico/calico felix/bpf-gpl/conntrack_types.h@87c15906f20c"
	},
	{
		"Calico", "cali_v4_nat_be",
		BPF_MAP_TYPE_HASH, 8, 8, BPF_F_NO_PREALLOC, 262144, HTAB_DEFAULT,
		"projectcalico/calico felix/bpf-gpl/nat_types.h@87c15906f20c"
	},
	{
		"Calico", "cali_v4_frags",
		BPF_MAP_TYPE_LRU_HASH, 12, 1512, 0, 10000, HTAB_DEFAULT,
		"projectcalico/calico felix/bpf-gpl/ip_v4_fragment.h@87c15906f20c"
	},
	{
		"Calico", "cali_counters",
		BPF_MAP_TYPE_PERCPU_HASH, 8, 216, 0, 20000, HTAB_DEFAULT,
		"projectcalico/calico felix/bpf-gpl/counters.h@87c15906f20c"
	},
	{
		"Calico", "cali_rule_ctrs",
		BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 0, 10000, HTAB_DEFAULT,
		"projectcalico/calico felix/bpf-gpl/rule_counters.h@87c15906f20c"
	},
	{
		"Android netd", "cookie_tag_map",
		BPF_MAP_TYPE_HASH, 8, 8, 0, 10000, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/netd.c, netd.h@238934f4c342"
	},
	{
		"Android netd", "uid_counterset_map",
		BPF_MAP_TYPE_HASH, 4, 1, 0, 4000, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/netd.c, netd.h@238934f4c342"
	},
	{
		"Android netd", "app_uid_stats_map",
		BPF_MAP_TYPE_HASH, 4, 32, 0, 10000, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/netd.c, netd.h@238934f4c342"
	},
	{
		"Android netd", "stats_map_A",
		BPF_MAP_TYPE_HASH, 16, 32, 0, 5000, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/netd.c, netd.h@238934f4c342"
	},
	{
		"Android netd", "iface_stats_map",
		BPF_MAP_TYPE_HASH, 4, 32, 0, 1000, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/netd.c, netd.h@238934f4c342"
	},
	{
		"Android netd", "uid_owner_map",
		BPF_MAP_TYPE_HASH, 4, 8, 0, 4000, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/netd.c, netd.h@238934f4c342"
	},
	{
		"Android netd", "uid_permission_map",
		BPF_MAP_TYPE_HASH, 4, 1, 0, 4000, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/netd.c, netd.h@238934f4c342"
	},
	{
		"Android netd", "iface_index_name_map",
		BPF_MAP_TYPE_HASH, 4, 16, 0, 1000, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/netd.c, netd.h@238934f4c342"
	},
	{
		"Android clatd", "clat_ingress6_map",
		BPF_MAP_TYPE_HASH, 36, 8, 0, 16, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/clatd.c, clatd.h@238934f4c342"
	},
	{
		"Android tethering", "tether_upstream4_map",
		BPF_MAP_TYPE_HASH, 24, 64, 0, 1024, HTAB_DEFAULT,
		"LineageOS/android_packages_modules_Connectivity bpf_progs/offload.c, offload.h@238934f4c342"
	},
	{
		"Android time_in_state", "uid_time_in_state_map",
		BPF_MAP_TYPE_PERCPU_HASH, 8, 256, 0, 1024, HTAB_DEFAULT,
		"msft-mirror-aosp/platform.system.bpfprogs timeInState.c@01ba77540be3, LineageOS/android_system_bpf progs/include/bpf_timeinstate.h@8546ea34c6a2"
	},
	{
		"Android time_in_state", "uid_concurrent_times_map",
		BPF_MAP_TYPE_PERCPU_HASH, 8, 128, 0, 1024, HTAB_DEFAULT,
		"msft-mirror-aosp/platform.system.bpfprogs timeInState.c@01ba77540be3, LineageOS/android_system_bpf progs/include/bpf_timeinstate.h@8546ea34c6a2"
	},
	{
		"bcc libbpf-tools", "biolatency hists",
		BPF_MAP_TYPE_HASH, 8, 108, 0, 10240, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/biolatency.bpf.c, biolatency.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "runqlat hists",
		BPF_MAP_TYPE_HASH, 4, 120, 0, 10240, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/runqlat.bpf.c, runqlat.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "memleak allocs",
		BPF_MAP_TYPE_HASH, 8, 24, 0, 1000000, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/memleak.bpf.c, memleak.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "tcpconnect ipv6_count",
		BPF_MAP_TYPE_HASH, 36, 8, 0, 8192, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/tcpconnect.bpf.c, tcpconnect.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "tcplife idents",
		BPF_MAP_TYPE_HASH, 8, 20, 0, 10240, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/tcplife.bpf.c, tcplife.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "opensnoop start",
		BPF_MAP_TYPE_HASH, 4, 16, 0, 10240, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/opensnoop.bpf.c, opensnoop.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "filelife start",
		BPF_MAP_TYPE_HASH, 8, 16, 0, 8192, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/filelife.bpf.c@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "funclatency starts",
		BPF_MAP_TYPE_HASH, 4, 8, 0, 102400, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/funclatency.bpf.c, funclatency.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "hardirqs infos",
		BPF_MAP_TYPE_HASH, 36, 104, 0, 256, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/hardirqs.bpf.c, hardirqs.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "bitesize hists",
		BPF_MAP_TYPE_HASH, 16, 80, 0, 10240, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/bitesize.bpf.c, bitesize.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "wakeuptime counts",
		BPF_MAP_TYPE_HASH, 36, 8, 0, 10240, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/wakeuptime.bpf.c, wakeuptime.h@6d0a964c2cda"
	},
	{
		"bcc libbpf-tools", "tcptop ip_map",
		BPF_MAP_TYPE_HASH, 64, 16, 0, 10240, HTAB_DEFAULT,
		"iovisor/bcc libbpf-tools/tcptop.bpf.c, tcptop.h@6d0a964c2cda"
	},
	{
		"Tetragon", "execve_map",
		BPF_MAP_TYPE_HASH, 4, 896, 0, 32768, HTAB_DEFAULT,
		"cilium/tetragon bpf/lib/process.h, pkg/sensors/base/base.go@4fbfe2d74ecb"
	},
	{
		"Tetragon", "cgroup_rate_map",
		BPF_MAP_TYPE_PERCPU_HASH, 8, 40, 0, 32768, HTAB_DEFAULT,
		"cilium/tetragon bpf/process/bpf_rate.h, pkg/cgrouprate/cgrouprate.go@4fbfe2d74ecb"
	},
	{
		"Tetragon", "tg_errmetrics_map",
		BPF_MAP_TYPE_LRU_PERCPU_HASH, 12, 4, 0, 1024, HTAB_DEFAULT,
		"cilium/tetragon bpf/lib/errmetrics.h@4fbfe2d74ecb"
	},
	{
		"Tetragon", "policy_filter_maps",
		BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, 0, 128, HTAB_DEFAULT,
		"cilium/tetragon bpf/process/policy_filter.h, pkg/policyfilter/map.go, common.go@4fbfe2d74ecb"
	},
	{
		"Tetragon", "tg_mbset_map",
		BPF_MAP_TYPE_HASH, 256, 8, 0, 1024, HTAB_DEFAULT,
		"cilium/tetragon bpf/process/bpf_mbset.h, bpf_process_event.h@4fbfe2d74ecb"
	},
	{
		"Tetragon", "string_maps_0",
		BPF_MAP_TYPE_HASH, 25, 1, 0, 64, HTAB_ASSUMED,
		"cilium/tetragon bpf/process/string_maps.h, pkg/sensors/tracing/selectors.go@4fbfe2d74ecb"
	},
	{
		"Tetragon", "string_maps_5",
		BPF_MAP_TYPE_HASH, 145, 1, 0, 64, HTAB_ASSUMED,
		"cilium/tetragon bpf/process/string_maps.h, pkg/sensors/tracing/selectors.go@4fbfe2d74ecb"
	},
	{
		"Tetragon", "string_maps_10",
		BPF_MAP_TYPE_HASH, 4098, 1, 0, 64, HTAB_ASSUMED,
		"cilium/tetragon bpf/process/string_maps.h, pkg/sensors/tracing/selectors.go@4fbfe2d74ecb"
	},
	{
		"Tracee", "proc_info_map",
		BPF_MAP_TYPE_LRU_HASH, 4, 368, 0, 30720, HTAB_DEFAULT,
		"aquasecurity/tracee pkg/ebpf/c/maps.h, types.h, common/consts.h@7c9ec9788ec5"
	},
	{
		"Tracee", "uid_filter_version",
		BPF_MAP_TYPE_HASH_OF_MAPS, 2, 4, 0, 64, HTAB_DEFAULT,
		"aquasecurity/tracee pkg/ebpf/c/maps.h, types.h, common/consts.h@7c9ec9788ec5"
	},
	{
		"Tracee", "comm_filter",
		BPF_MAP_TYPE_HASH, 16, 16, 0, 256, HTAB_DEFAULT,
		"aquasecurity/tracee pkg/ebpf/c/maps.h, types.h, common/consts.h@7c9ec9788ec5"
	},
	{
		"Tracee", "binary_filter",
		BPF_MAP_TYPE_HASH, 260, 16, 0, 256, HTAB_DEFAULT,
		"aquasecurity/tracee pkg/ebpf/c/maps.h, types.h, common/consts.h@7c9ec9788ec5"
	},
	{
		"Tracee", "data_filter_exact",
		BPF_MAP_TYPE_HASH, 256, 16, 0, 1024, HTAB_DEFAULT,
		"aquasecurity/tracee pkg/ebpf/c/maps.h, types.h, common/consts.h@7c9ec9788ec5"
	},
	{
		"Tracee", "ksymbols_map",
		BPF_MAP_TYPE_HASH, 64, 8, 0, 1024, HTAB_DEFAULT,
		"aquasecurity/tracee pkg/ebpf/c/maps.h, types.h, common/consts.h@7c9ec9788ec5"
	},
	{
		"Tracee", "logs_count",
		BPF_MAP_TYPE_HASH, 88, 16, 0, 4096, HTAB_DEFAULT,
		"aquasecurity/tracee pkg/ebpf/c/maps.h, types.h, common/consts.h@7c9ec9788ec5"
	},
	{
		"OpenTelemetry eBPF profiler", "stack_delta_page_to_info",
		BPF_MAP_TYPE_HASH, 16, 8, 0, 65536, HTAB_DEFAULT,
		"open-telemetry/opentelemetry-ebpf-profiler support/ebpf/native_stack_trace.ebpf.c, types.h, tracer/tracer.go@b442421a32cc"
	},
	{
		"OpenTelemetry eBPF profiler", "exe_id_to_16_stack_deltas",
		BPF_MAP_TYPE_HASH_OF_MAPS, 8, 4, BPF_F_NO_PREALLOC, 65536, HTAB_DEFAULT,
		"open-telemetry/opentelemetry-ebpf-profiler support/ebpf/native_stack_trace.ebpf.c, tracer/tracer.go@b442421a32cc"
	},
	{
		"OpenTelemetry eBPF profiler", "sched_times",
		BPF_MAP_TYPE_LRU_PERCPU_HASH, 8, 8, 0, 256, HTAB_ASSUMED,
		"open-telemetry/opentelemetry-ebpf-profiler support/ebpf/off_cpu.ebpf.c, tracer/tracer.go@b442421a32cc"
	},
	{
		"OpenTelemetry eBPF instrumentation (Beyla)", "ongoing_http",
		BPF_MAP_TYPE_LRU_HASH, 40, 400, 0, 30000, HTAB_DEFAULT,
		"open-telemetry/opentelemetry-ebpf-instrumentation bpf/maps/ongoing_http.h, common/connection_info.h, common/http_info.h@6955b658837a"
	},
	{
		"OpenTelemetry eBPF instrumentation (Beyla)", "aggregated_flows",
		BPF_MAP_TYPE_LRU_PERCPU_HASH, 44, 40, 0, 5000, HTAB_DEFAULT,
		"open-telemetry/opentelemetry-ebpf-instrumentation bpf/netolly/flows_common.h, netolly/flow.h@6955b658837a"
	},
	{
		"Inspektor Gadget", "top_tcp ip_map",
		BPF_MAP_TYPE_HASH, 96, 16, 0, 10240, HTAB_DEFAULT,
		"inspektor-gadget/inspektor-gadget gadgets/top_tcp/program.bpf.c, include/gadget/types.h@aeac857bd979"
	},
	{
		"Suricata", "flow_table_v4",
		BPF_MAP_TYPE_PERCPU_HASH, 16, 16, 0, 32768, HTAB_DEFAULT,
		"OISF/suricata ebpf/xdp_filter.c@398687d5d4a9"
	},
	{
		"Suricata", "flow_table_v6",
		BPF_MAP_TYPE_PERCPU_HASH, 40, 16, 0, 32768, HTAB_DEFAULT,
		"OISF/suricata ebpf/xdp_filter.c@398687d5d4a9"
	},
	{
		"xdp-tools xdp-filter", "filter_ethernet",
		BPF_MAP_TYPE_PERCPU_HASH, 6, 8, 0, 10000, HTAB_DEFAULT,
		"xdp-project/xdp-tools xdp-filter/xdpfilt_prog.h@f0b4ac21d71d"
	},
	{
		"systemd", "cgroup_hash",
		BPF_MAP_TYPE_HASH_OF_MAPS, 8, 4, 0, 2048, HTAB_DEFAULT,
		"systemd/systemd src/core/bpf/restrict_fs/restrict-fs.bpf.c@29f2301747bd, src/core/bpf-restrict-fs.c"
	},
	{
		"systemd", "sd_restrictif",
		BPF_MAP_TYPE_HASH, 4, 1, 0, 8, HTAB_ASSUMED,
		"systemd/systemd src/core/bpf/restrict_ifaces/restrict-ifaces.bpf.c@0046ad785a21, src/core/bpf-restrict-ifaces.c@00923bf3000b"
	},
	{
		"sched_ext scx_layered", "gpu_tgid",
		BPF_MAP_TYPE_HASH, 4, 8, BPF_F_NO_PREALLOC, 100000, HTAB_DEFAULT,
		"sched-ext/scx scheds/rust/scx_layered/src/bpf/main.bpf.c, intf.h@7a58a3a1a857"
	},
	{
		"sched_ext scx lib", "cbw_cgrp_llc_map",
		BPF_MAP_TYPE_HASH, 12, 8, BPF_F_NO_PREALLOC, 2048, HTAB_DEFAULT,
		"sched-ext/scx lib/cgroup_bw.bpf.c@7a58a3a1a857"
	},
	{
		"Parca agent", "unwind_tables",
		BPF_MAP_TYPE_HASH, 8, 3500000, 0, 5, HTAB_ASSUMED,
		"parca-dev/parca-agent bpf/unwinders/native.bpf.c@ee30c28f7aef"
	},
	{
		"Pyroscope", "py_symbols",
		BPF_MAP_TYPE_HASH, 232, 4, 0, 16384, HTAB_DEFAULT,
		"grafana/pyroscope ebpf/bpf/pyperf.bpf.c@575265305787, ebpf/bpf/pystr.h@58cbbd216b5a"
	},
	{
		"DeepFlow", "trace_map",
		BPF_MAP_TYPE_HASH, 16, 25, 0, 40960, HTAB_DEFAULT,
		"deepflowio/deepflow agent/src/ebpf/kernel/socket_trace.bpf.c, include/socket_trace_common.h, include/bpf_base.h@2026e9de36c6"
	},
	{
		"DeepFlow", "__symbol_table",
		BPF_MAP_TYPE_LRU_HASH, 96, 4, 0, 1024, HTAB_DEFAULT,
		"deepflowio/deepflow agent/src/ebpf/kernel/perf_profiler.bpf.c, include/perf_profiler.h@2026e9de36c6"
	},
	{
		"Pixie", "conn_disabled_map",
		BPF_MAP_TYPE_HASH, 8, 8, 0, 10240, HTAB_DEFAULT,
		"pixie-io/pixie src/stirling/source_connectors/socket_tracer/bcc_bpf/socket_trace.c@44d42f1d6aff, iovisor/bcc src/cc/export/helpers.h@6d0a964c2cda"
	},
};

#endif
