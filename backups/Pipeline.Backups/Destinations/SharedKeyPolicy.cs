using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Azure.Core;
using Azure.Core.Pipeline;

namespace Pipeline.Backups.Destinations;

/// <summary>Signs each try of a request with the account's key. Thread-safe.</summary>
/// <remarks>Azure Storage's Shared Key authorization for the Queue service, version 2009-09-19 and later ("Authorize with Shared Key").</remarks>
internal sealed class SharedKeyPolicy(string account, byte[] key, TimeProvider time) : HttpPipelineSynchronousPolicy
{
    /// <inheritdoc/>
    public override void OnSendingRequest(HttpMessage message)
    {
        var request = message.Request;
        request.Headers.SetValue("x-ms-date", time.GetUtcNow().ToString("R", CultureInfo.InvariantCulture));
        var signature = HMACSHA256.HashData(key, Encoding.UTF8.GetBytes(StringToSign(request)));
        request.Headers.SetValue("Authorization", $"SharedKey {account}:{Convert.ToBase64String(signature)}");
    }

    private string StringToSign(Request request)
    {
        var length = request.Content is { } content && content.TryComputeLength(out var bytes) && bytes > 0 ? bytes.ToString(CultureInfo.InvariantCulture) : "";
        var text = new StringBuilder()
            .Append(request.Method.Method).Append('\n')
            .Append(Header(request, "Content-Encoding")).Append('\n')
            .Append(Header(request, "Content-Language")).Append('\n')
            .Append(length).Append('\n')
            .Append(Header(request, "Content-MD5")).Append('\n')
            .Append(Header(request, "Content-Type")).Append('\n')
            .Append('\n') // Date: x-ms-date stands for it
            .Append(Header(request, "If-Modified-Since")).Append('\n')
            .Append(Header(request, "If-Match")).Append('\n')
            .Append(Header(request, "If-None-Match")).Append('\n')
            .Append(Header(request, "If-Unmodified-Since")).Append('\n')
            .Append(Header(request, "Range")).Append('\n');
        foreach (var header in request.Headers.Where(h => h.Name.StartsWith("x-ms-", StringComparison.OrdinalIgnoreCase)).OrderBy(h => h.Name, StringComparer.OrdinalIgnoreCase))
            text.Append(header.Name.ToLowerInvariant()).Append(':').Append(header.Value.Trim()).Append('\n');
        var uri = request.Uri.ToUri();
        text.Append('/').Append(account).Append(uri.AbsolutePath);
        foreach (var (name, value) in Parameters(uri.Query).OrderBy(p => p.Name, StringComparer.Ordinal)) text.Append('\n').Append(name).Append(':').Append(value);
        return text.ToString();
    }

    private static string Header(Request request, string name) => request.Headers.TryGetValue(name, out var value) ? value : "";

    private static IEnumerable<(string Name, string Value)> Parameters(string query)
    {
        foreach (var part in query.TrimStart('?').Split('&', StringSplitOptions.RemoveEmptyEntries))
        {
            var equals = part.IndexOf('=', StringComparison.Ordinal);
            yield return equals < 0
                ? (Uri.UnescapeDataString(part).ToLowerInvariant(), "")
                : (Uri.UnescapeDataString(part[..equals]).ToLowerInvariant(), Uri.UnescapeDataString(part[(equals + 1)..]));
        }
    }
}
