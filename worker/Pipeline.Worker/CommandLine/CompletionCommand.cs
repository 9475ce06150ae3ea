using System.CommandLine;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline completion</c>: prints what makes a shell complete commands, options and their values. The shell asks the
/// program itself, through the directive <c>[suggest]</c>.
/// </summary>
internal sealed class CompletionCommand : WorkerCommand
{
    private static readonly Dictionary<string, string> Scripts = new(StringComparer.Ordinal)
    {
        ["bash"] = """
            # Bash: source <(pipeline completion bash), for example in ~/.bashrc
            _pipeline_complete() {
              local IFS=$'\n'
              COMPREPLY=($(compgen -W "$(pipeline "[suggest:${COMP_POINT}]" "${COMP_LINE}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
            }
            complete -o default -F _pipeline_complete pipeline
            """,
        ["zsh"] = """
            # Zsh: source <(pipeline completion zsh), for example in ~/.zshrc, after compinit
            _pipeline_complete() {
              local -a found
              found=("${(@f)$(pipeline "[suggest:${CURSOR}]" "${BUFFER}" 2>/dev/null)}")
              if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
            }
            compdef _pipeline_complete pipeline
            """,
        ["fish"] = """
            # Fish: pipeline completion fish | source, for example in ~/.config/fish/config.fish
            complete -c pipeline -a '(set -l line (commandline -cp); pipeline "[suggest:"(string length -- $line)"]" "$line" 2>/dev/null)'
            """,
        ["pwsh"] = """
            # PowerShell: pipeline completion pwsh | Out-String | Invoke-Expression, for example in $PROFILE
            Register-ArgumentCompleter -Native -CommandName pipeline -ScriptBlock {
              param($word, $line, $position)
              pipeline "[suggest:$position]" "$line" | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
            }
            """,
    };

    private readonly Argument<string> _shell = new("shell")
    {
        Description = $"The shell: {string.Join(", ", Scripts.Keys)}.",
        HelpName = "SHELL",
    };

    public CompletionCommand()
        : base("completion", "Print a script that makes a shell complete the commands and options of pipeline.")
    {
        _shell.AcceptOnlyFromAmong([.. Scripts.Keys]);
        Add(_shell);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        await run
            .Console.Out.WriteLineAsync(Scripts[run.Parsed.GetRequiredValue(_shell)].AsMemory(), cancellationToken)
            .ConfigureAwait(false);
        return ExitCodes.Success;
    }
}
