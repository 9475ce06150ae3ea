using System.Globalization;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>
/// The text of <c>bootstrapServers</c>, by the client library's own rules: <c>[protocol://]host[:port]</c>, an IPv6
/// address with a port in brackets.
/// </summary>
internal static class KafkaServers
{
    /// <summary>The fault in it, or <see langword="null"/> if there is none.</summary>
    internal static string? FindFault(string servers)
    {
        foreach (var entry in servers.Split(','))
        {
            var server = entry.Trim();
            if (server.Length == 0)
                return "has an empty name: write host:port, separated by single commas";
            var scheme = server.IndexOf("://", StringComparison.Ordinal);
            var address = scheme < 0 ? server : server[(scheme + 3)..];
            var last = address.LastIndexOf(':');
            var hasPort =
                last >= 0
                && (last == address.IndexOf(':', StringComparison.Ordinal) || last > 0 && address[last - 1] == ']');
            var host = hasPort ? address[..last] : address;
            if (host.Length == 0 || host.Any(c => char.IsWhiteSpace(c) || c is '/' or '@' or ';'))
                return $"'{server}' names no host: write host:port, separated by commas";
            if (
                hasPort
                && !(
                    int.TryParse(
                        address.AsSpan(last + 1),
                        NumberStyles.None,
                        CultureInfo.InvariantCulture,
                        out var port
                    ) && port is > 0 and <= 65535
                )
            )
            {
                return $"'{server}' has no port between 1 and 65535 behind its colon: write host:port";
            }
        }

        return null;
    }
}
