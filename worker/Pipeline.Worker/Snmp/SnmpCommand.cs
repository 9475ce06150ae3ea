using System.CommandLine;
using System.Text;
using Microsoft.Extensions.Logging;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.Snmp;

/// <summary><c>pipeline snmp</c>: shows a running worker's state through net-snmp's agent.</summary>
internal sealed class SnmpCommand : WorkerCommand
{
    private const string Internet = "1.3.6.1";

    // The longest identifier below the base, that of a column, has five more numbers.
    private const int MaxBaseNumbers = ObjectId.MaxNumbers - 5;
    private readonly Option<string?> _url = WorkerClient.InsteadOption();
    private readonly Option<string> _oid = new("--oid")
    {
        Description =
            "The identifier below which the objects are; the same as in the line of snmpd.conf. The default is net-snmp's subtree for examples.",
        HelpName = "BASE",
        DefaultValueFactory = _ => WorkerMib.DefaultBase,
    };
    private readonly Option<bool> _mib = new("--mib") { Description = "Print the MIB for this identifier, and end." };

    public SnmpCommand(CommonOptions common)
        : base(
            "snmp",
            "Show the state of a running worker through SNMP: the program of a 'pass_persist' line of net-snmp's agent. It reads requests from standard input."
        )
    {
        Add(_url);
        Add(_oid);
        Add(_mib);
        common.AddDatabaseTo(this);
        common.RefuseWith(this, _url, "--url names the worker, --config and --data its data folder: give one of them");
        _oid.Validators.Add(result =>
        {
            var text = result.Tokens.Count > 0 ? result.Tokens[0].Value : WorkerMib.DefaultBase;
            if (!ObjectId.TryParse(text, out var id))
                result.AddError($"--oid '{text}' is no object identifier such as {WorkerMib.DefaultBase}");
            else if (!ObjectId.TryParse(Internet, out var internet) || !id.IsBelow(internet) || id.Length == 4)
                result.AddError($"--oid '{text}' is not below {Internet}, where SNMP's objects are");
            else if (id.Length > MaxBaseNumbers)
                result.AddError($"--oid '{text}' has {id.Length} numbers; the most are {MaxBaseNumbers}");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        if (!ObjectId.TryParse(run.Parsed.GetValue(_oid)!, out var at))
            return ExitCodes.Usage;
        if (run.Parsed.GetValue(_mib))
        {
            await run.Console.Out.WriteAsync(WorkerMib.TextAt(at).AsMemory(), cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }

        await ServeAsync(run, at, cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private async Task ServeAsync(CommandRun run, ObjectId at, CancellationToken cancellationToken)
    {
        var reader = new FiguresReader(run, _url);
        var last = "";
        // Finding the worker may read a configuration, which must not hold up an answer.
        var cache = new FiguresCache<SnmpTree>(ct => Task.Run(() => ReadAsync(ct), ct), run.Time);
        using var input = new StreamReader(run.Console.InStream, Encoding.UTF8);
        await new PassPersist(input, run.Console.OutStream, cache.GetAsync)
            .RunAsync(cancellationToken)
            .ConfigureAwait(false);

        async Task<SnmpTree> ReadAsync(CancellationToken ct)
        {
            var figures = await reader.ReadAsync(ct).ConfigureAwait(false);
            // snmpd reads standard error as answers. At a terminal a person reads it.
            if (run.Console.IsErrorTerminal && figures.Problem != last)
                run.Console.WriteError(LogLevel.Warning, "pipeline: " + Printable.Of(Described(figures)));
            last = figures.Problem;
            return WorkerMib.Read(at, figures);
        }
    }

    private static string Described(WorkerFigures figures) =>
        figures.Problem.Length == 0 ? "the worker answers" : figures.Problem;
}
