using System.Text;

namespace Pipeline.Worker.Snmp;

/// <summary>
/// The protocol <c>pass_persist</c> of net-snmp's agent: reads requests as lines, and answers each with one or three
/// lines.
/// </summary>
/// <remarks>
/// Sources: snmpd.conf(5) and agent/mibgroup/ucd-snmp/pass_persist.c of net-snmp 5.9. The agent waits for an answer
/// without a time limit and serves no other client until it comes. It joins standard error to standard output, so it
/// would take a message there for an answer.
/// </remarks>
/// <param name="input">The agent's requests.</param>
/// <param name="output">Where the answers go.</param>
/// <param name="values">The values to answer with.</param>
internal sealed class PassPersist(TextReader input, Stream output, Func<CancellationToken, Task<SnmpTree>> values)
{
    private const string Ping = "PING";
    private Expected _expected;

    private enum Expected
    {
        Command,
        GetId,
        GetNextId,
        SetId,
        SetValue,

        /// <summary>A command, or the empty line with which net-snmp 5.9.3 (Debian 12) ends a value.</summary>
        CommandAfterSet,
    }

    /// <summary>Answers until an empty line or the end of the input.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        // Reading a console cannot be cancelled: its thread stays behind, and ends with the process.
        while (
            await input.ReadLineAsync(cancellationToken).AsTask().WaitAsync(cancellationToken).ConfigureAwait(false)
                is { } line
        )
        {
            line = line.Trim();
            if (line.Length == 0 && _expected == Expected.Command)
                return;
            if (await AnswerAsync(line, cancellationToken).ConfigureAwait(false) is not { } answer)
                continue;
            await output.WriteAsync(Encoding.UTF8.GetBytes(answer), cancellationToken).ConfigureAwait(false);
            await output.FlushAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>The answer to a line; <see langword="null"/> if the request has more lines.</summary>
    private async Task<string?> AnswerAsync(string line, CancellationToken cancellationToken)
    {
        var expected = _expected;
        _expected = Expected.Command;
        switch (expected)
        {
            case Expected.GetId:
            case Expected.GetNextId:
                if (!ObjectId.TryParse(line, out var id))
                    return TextOf(null);
                var tree = await values(cancellationToken).ConfigureAwait(false);
                return TextOf(expected == Expected.GetId ? tree.Find(id) : tree.After(id));
            case Expected.SetId:
                // The refusal does not wait for the value: previews of net-snmp 5.10 end its line with the next
                // command, which they send after the answer.
                _expected = Expected.SetValue;
                return "not-writable\n";
            case Expected.SetValue:
                if (line.EndsWith(Ping, StringComparison.Ordinal))
                    return AnswerCommand(Ping);
                _expected = Expected.CommandAfterSet;
                return null;
            default:
                return line.Length == 0 ? null : AnswerCommand(line);
        }
    }

    private string? AnswerCommand(string command)
    {
        _expected = command switch
        {
            "get" => Expected.GetId,
            "getnext" => Expected.GetNextId,
            "set" => Expected.SetId,
            _ => Expected.Command,
        };
        return _expected != Expected.Command ? null
            : command == Ping ? "PONG\n"
            : TextOf(null);
    }

    private static string TextOf(SnmpValue? value) =>
        value is null ? "NONE\n" : $"{value.Id}\n{value.Type}\n{value.Text}\n";
}
