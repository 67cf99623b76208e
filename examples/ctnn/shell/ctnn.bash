# SPDX-License-Identifier: BSL-1.0
# bash completion for ctnn, which writes it: ctnn completion bash
_ctnn() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W 'info optimize quantize run compare bench header draw extract help completion --help --version' -- "$word"))
    return
  fi
  case "$command $before" in
    'info --rounding') words='xnnpack once twice' ;;
    'info --fit') words='stretch crop pad' ;;
    'info --pixels') words='1 255' ;;
    'optimize --rounding') words='xnnpack once twice' ;;
    'optimize --fit') words='stretch crop pad' ;;
    'optimize --pixels') words='1 255' ;;
    'quantize --method') words='minmax percentile kl' ;;
    'quantize --rounding') words='xnnpack once twice' ;;
    'quantize --fit') words='stretch crop pad' ;;
    'quantize --pixels') words='1 255' ;;
    'run --rounding') words='xnnpack once twice' ;;
    'run --fit') words='stretch crop pad' ;;
    'run --pixels') words='1 255' ;;
    'compare --rounding') words='xnnpack once twice' ;;
    'compare --fit') words='stretch crop pad' ;;
    'compare --pixels') words='1 255' ;;
    'bench --rounding') words='xnnpack once twice' ;;
    'bench --fit') words='stretch crop pad' ;;
    'bench --pixels') words='1 255' ;;
    'header --packed') words='4 16' ;;
    'header --rounding') words='xnnpack once twice' ;;
    'header --fit') words='stretch crop pad' ;;
    'header --pixels') words='1 255' ;;
    'draw --rounding') words='xnnpack once twice' ;;
    'draw --fit') words='stretch crop pad' ;;
    'draw --pixels') words='1 255' ;;
    'extract --rounding') words='xnnpack once twice' ;;
    'extract --fit') words='stretch crop pad' ;;
    'extract --pixels') words='1 255' ;;
  esac
  if [ -z "$words" ] && [[ $word == -* ]]; then
    case $command in
      info) words='-h --help --summary --json --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb --no-optimize --exact --exact-convolutions --arena-first --speed-first --winograd-growth --prune-below --only --without --keep' ;;
      optimize) words='-h --help -o --out --data --fused --fp16 --explain --why --verify --tolerance --prove -f --force --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb --no-optimize --exact --exact-convolutions --arena-first --speed-first --winograd-growth --prune-below --only --without --keep' ;;
      quantize) words='-h --help --calibration -o --out --method --percentile --keep-float --bytes --unsigned --name -f --force --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb --no-optimize --exact --exact-convolutions --arena-first --speed-first --winograd-growth --prune-below --only --without --keep' ;;
      run) words='-h --help --output --seed --top --labels --no-light --target --threads -f --force --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb --no-optimize --exact --exact-convolutions --arena-first --speed-first --winograd-growth --prune-below --only --without --keep' ;;
      compare) words='-h --help --other-weights --tolerance --layers --threads --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb --no-optimize --exact --exact-convolutions --arena-first --speed-first --winograd-growth --prune-below --only --without --keep' ;;
      bench) words='-h --help --seconds --runs --warmup --target --threads --no-light --json --times --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb --no-optimize --exact --exact-convolutions --arena-first --speed-first --winograd-growth --prune-below --only --without --keep' ;;
      header) words='-h --help -o --out --name --packed --list --blob --c --in-arena --prefix --rename --image -f --force --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb --no-optimize --exact --exact-convolutions --arena-first --speed-first --winograd-growth --prune-below --only --without --keep' ;;
      draw) words='-h --help -o --out --time --arena --seconds -f --force --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb --no-optimize --exact --exact-convolutions --arena-first --speed-first --winograd-growth --prune-below --only --without --keep' ;;
      extract) words='-h --help --from --to -o --out --tolerance -f --force --weights --shape --input --external-data --rounding --signature --memory --size --resize --fit --no-antialias --pixels --mean --std --bgr --rgb' ;;
      help) words='-h --help' ;;
      completion) words='-h --help' ;;
    esac
  elif [ -z "$words" ]; then
    case $command in
      help) words='info optimize quantize run compare bench header draw extract help completion' ;;
      completion) words='bash zsh fish man' ;;
    esac
  fi
  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _ctnn ctnn
