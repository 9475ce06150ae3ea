using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;
using Pipeline.Database.Certificates;

namespace Pipeline.Server.Hosting;

/// <summary>The certificate that connections get: the one that the server began with, or what its files have become since. Thread-safe.</summary>
internal sealed class ServerCertificate
{
    /// <summary>How often, at most, the files are looked at: with the first connection after this time.</summary>
    public static readonly TimeSpan CheckEvery = TimeSpan.FromSeconds(5);

    private readonly CertificateFiles? _files;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private volatile SslStreamCertificateContext _current;
    private string? _seen, _told;
    private long _checkedAt;

    public ServerCertificate(X509Certificate2 certificate, CertificateFiles? files, TimeProvider time, ILogger logger)
    {
        (_files, _time, _logger) = (files, time, logger);
        _current = ContextOf(certificate);
        _checkedAt = time.GetTimestamp();
    }

    /// <summary>What a connection that begins now gets.</summary>
    public SslStreamCertificateContext Current
    {
        get
        {
            var before = Volatile.Read(ref _checkedAt);
            // One connection looks; the others need not wait for it.
            if (_files is not null && _time.GetElapsedTime(before) >= CheckEvery && Interlocked.CompareExchange(ref _checkedAt, _time.GetTimestamp(), before) == before)
                Renew(_files);
            return _current;
        }
    }

    private void Renew(CertificateFiles files)
    {
        try
        {
            var hash = files.ReadHash();
            if (hash == _seen)
                return;
            _seen = hash;
            var certificate = files.Load();
            if (certificate.RawDataMemory.Span.SequenceEqual(_current.TargetCertificate.RawDataMemory.Span))
                return;
            _current = ContextOf(certificate);
            _told = null;
            var (thumbprint, end) = (CertificateThumbprint.Of(certificate).ToString(), certificate.NotAfter.ToUniversalTime());
            ServerLog.CertificateRenewed(_logger, files.File, thumbprint, end);
        }
        catch (Exception e) when (e is CertificateFileException or CryptographicException)
        {
            // Told once, however many connections come until the files change again.
            if (e.Message == _told)
                return;
            _told = e.Message;
            var end = _current.TargetCertificate.NotAfter.ToUniversalTime();
            ServerLog.CertificateKept(_logger, files.File, end, e.Message);
        }
    }

    private static SslStreamCertificateContext ContextOf(X509Certificate2 certificate) => SslStreamCertificateContext.Create(certificate, additionalCertificates: null, offline: true);
}
