using System.Net;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Hosting;

/// <summary>The port: its address, TLS, and the limits that apply before a request is read.</summary>
internal static class ServerPort
{
    /// <summary>
    /// The maximum number of unread request bytes of one connection. It is small, because no other limit counts them,
    /// and a client without rights can send them: Kestrel's default of 1 MiB would be 20 GB for 20,000 connections. The
    /// operating system's buffers keep uploads fast.
    /// </summary>
    public const int ReceivedBytes = 64 << 10;

    /// <summary>Like <see cref="ReceivedBytes"/>, for a connection in HTTP/2, all streams together.</summary>
    public const int ReceivedBytesOfHttp2 = 128 << 10;

    /// <summary>Checks that the options are safe to serve.</summary>
    /// <exception cref="ServerAddressException">The options are not safe.</exception>
    public static void Check(ServerOptions options)
    {
        var (url, isTls) = (options.Url, options.Url.Scheme == Uri.UriSchemeHttps);
        if (!isTls && url.Scheme != Uri.UriSchemeHttp)
            throw new ServerAddressException(url, "it must begin with http:// or https://");
        if (AddressOf(url) is null)
        {
            throw new ServerAddressException(
                url,
                "its host must be an IP address or localhost; 0.0.0.0 listens on every interface"
            );
        }

        if (isTls && options.Certificate is null)
            throw new ServerAddressException(url, "https needs a certificate (server.certificate)");
        if (!isTls && options.Certificate is not null)
            throw new ServerAddressException(url, "with a certificate it must begin with https://");
        if (!isTls && options.Clients.Count > 0)
        {
            throw new ServerAddressException(
                url,
                "clients are known by their certificates, which needs https (server.clients)"
            );
        }

        if (!IPAddress.IsLoopback(AddressOf(url)!) && options.Clients.Count == 0 && !options.AllowInsecure)
        {
            throw new ServerAddressException(
                url,
                "it is not a loopback address, and clients would not be authenticated: listen on 127.0.0.1, name the clients by their certificates (server.certificate and server.clients), "
                    + $"or say that this is meant (server.allowInsecure, {nameof(ServerOptions.AllowInsecure)})"
            );
        }
    }

    /// <summary>Configures the port.</summary>
    public static void Configure(
        KestrelServerOptions kestrel,
        ServerOptions options,
        ClientAuthentication authentication,
        ConnectionSwitch connections,
        ILogger logger
    )
    {
        var limits = options.Limits;
        var certificate = options.Certificate is { } first
            ? new ServerCertificate(first, options.CertificateFiles, options.Time, logger)
            : null;
        kestrel.AddServerHeader = false;
        kestrel.Limits.MaxRequestBodySize = limits.MaxRequestBytes;
        kestrel.Limits.MaxRequestBufferSize = ReceivedBytes;
        kestrel.Limits.Http2.InitialConnectionWindowSize = ReceivedBytesOfHttp2;
        kestrel.Limits.Http2.InitialStreamWindowSize = ReceivedBytesOfHttp2;
        var connectionLimit = new ConnectionLimit(limits.MaxConnections, options.Time, logger);
        kestrel.Limits.MaxConcurrentUpgradedConnections = limits.MaxConnections;
        kestrel.Limits.KeepAliveTimeout = limits.MaxIdleTime;
        kestrel.Limits.RequestHeadersTimeout = limits.MaxHeadTime;
        if (options.Url.Host == "localhost")
            kestrel.ListenLocalhost(options.Url.Port, Listen);
        else
            kestrel.Listen(AddressOf(options.Url)!, options.Url.Port, Listen);

        void Listen(ListenOptions listen)
        {
            listen.Use(next => connection => connectionLimit.RunAsync(connection, next));
            listen.Protocols = certificate is null ? HttpProtocols.Http1 : HttpProtocols.Http1AndHttp2;
            if (certificate is not null)
            {
                listen.UseHttps(
                    new TlsHandshakeCallbackOptions
                    {
                        HandshakeTimeout = limits.MaxHeadTime,
                        OnConnection = _ =>
                            ValueTask.FromResult(
                                new SslServerAuthenticationOptions
                                {
                                    ServerCertificateContext = certificate.Current,
                                    EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
                                    // A client without a certificate, or with an unknown one, may connect only to be
                                    // told so.
                                    ClientCertificateRequired = authentication.IsOn,
                                    CertificateRevocationCheckMode = X509RevocationMode.NoCheck,
                                    CertificateChainPolicy = NoChain(),
                                    AllowRenegotiation = false,
#pragma warning disable CA5359 // ClientAuthentication checks the client's certificate for each request.
                                    RemoteCertificateValidationCallback = (_, _, _, _) => true,
#pragma warning restore CA5359
                                }
                            ),
                    }
                );
            }
            listen.Use(next => connection => connections.RunAsync(connection, next));
        }
    }

    /// <summary>
    /// A policy that builds no certificate chain, because the thumbprint alone decides. Without it, a client's
    /// certificate could name an issuer's address and make the server connect to it.
    /// </summary>
    private static X509ChainPolicy NoChain() =>
        new()
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
            VerificationFlags = X509VerificationFlags.AllFlags,
        };

    private static IPAddress? AddressOf(Uri url) =>
        url.Host == "localhost" ? IPAddress.Loopback
        : IPAddress.TryParse(url.Host.Trim('[', ']'), out var address) ? address
        : null;
}
